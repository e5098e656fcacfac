import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { engineInfo } from '../runtime/runtime.js';
import { distributedStatus, init } from './init.js';

/** A server that says this to whoever connects, and says nothing more. */
async function program(says: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    says(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const canMeet = distributedStatus().unavailable === null;

test.skipIf(!canMeet)(
  'a rank that meets a program which is not a store says so in its timeout, whatever that says (needs process groups)',
  async () => {
    const garbage = Buffer.alloc(100_000, 0xfe);
    for (const says of [
      () => {},
      (socket: Socket) => void socket.write(garbage),
      (socket: Socket) => void socket.once('data', () => socket.write(garbage)),
      (socket: Socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    ]) {
      using other = await program(says);
      const meet = `tcp://127.0.0.1:${other.port}`;
      const joining = init({ meet, rank: 1, worldSize: 2, timeoutSeconds: 1, backend: 'gloo' });
      await expect(joining).rejects.toThrow(`127.0.0.1:${other.port}`);
    }
  },
);

const takesSocket = canMeet && Number.parseFloat(engineInfo().version) >= 2.1;

test.skipIf(!takesSocket || process.platform !== 'linux')(
  'the store listens on the address at which the ranks meet, and on no other (needs libtorch 2.1)',
  async () => {
    const port = await freePort();
    const meet = `tcp://127.0.0.1:${port}`;
    using _group = await init({ meet, rank: 0, worldSize: 1, timeoutSeconds: 20, backend: 'gloo' });
    expect(listeningAt(port)).toEqual(['127.0.0.1']);
  },
);

/** The addresses at which this machine listens on a port, as Linux lists them. */
function listeningAt(port: number): string[] {
  const listening = '0A';
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    readFileSync(table, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, at = '', , state]) => state === listening && Number.parseInt(at.split(':')[1]!, 16) === port,
      )
      .map(([, at = '']) => Buffer.from(at.split(':')[0]!, 'hex').reverse().join('.')),
  );
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
