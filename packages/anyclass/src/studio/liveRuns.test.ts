import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { liveRuns } from './liveRuns.js';
import { runIndex } from './runIndex.js';

test('a page that does not read what it is told is left, before it fills memory', async () => {
  const live = liveRuns(runIndex([]), () => {});
  await using app = fastify();
  app.get('/live', (_, reply) => live.subscribe(reply));
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const connections = () => new Promise((done) => app.server.getConnections((_error, count) => done(count)));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await new Promise((done) => socket.once('data', done));
  socket.pause();
  live.tell('note', 'a');
  expect(await connections()).toBe(1);
  for (let megabytes = 0; megabytes < 64; megabytes++) live.tell('note', 'a'.repeat(1 << 20));
  await expect.poll(connections).toBe(0);
  socket.destroy();
  live.close();
});
