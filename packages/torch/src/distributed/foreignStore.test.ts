import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { distributedStatus, init } from './init.js';

test.skipIf(distributedStatus().unavailable !== null)(
  'a rank that meets a program which is not a store says so in its timeout (needs process groups)',
  async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const meet = `tcp://127.0.0.1:${port}`;
    const joining = init({ meet, rank: 1, worldSize: 2, timeoutSeconds: 1, backend: 'gloo' });
    await expect(joining).rejects.toThrow(`127.0.0.1:${port}`);
    for (const socket of sockets) socket.destroy();
    silent.close();
  },
);
