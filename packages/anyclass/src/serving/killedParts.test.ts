// Parts of a running server that die: it answers what it can, and replaces them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { asBody, picture, post, saveServedModel } from '../../test/servedModels.js';
import type { ServeOptions } from './operation/options.js';
import { type Server, serve } from './serve.js';

const folder = testFolder();
const model = join(folder, 'model.safetensors');
beforeAll(() => saveServedModel(model), 60_000);

const quiet: ServeOptions = { port: 0, device: 'cpu', drain: 0, log: () => {} };
const statusOf = async ({ url }: Server, kind: 'jpeg' | 'png') =>
  (await post(`${url}/v1/predict`, asBody(await picture(1, kind)))).status;

/** Asks again and again until `isOver`, and returns the statuses. */
async function askedUntil(server: Server, kind: 'jpeg' | 'png', isOver: () => boolean): Promise<number[]> {
  const statuses: number[] = [];
  while (!isOver()) statuses.push(await statusOf(server, kind));
  return statuses;
}

describe('a part of a server dies', () => {
  test('an inference thread is replaced; until then requests get 503 with Retry-After or 500, and none hangs', async () => {
    const threads: Worker[] = [];
    const note = (worker: Worker) => void threads.push(worker);
    process.on('worker', note);
    try {
      await using server = await serve([model], quiet);
      expect(await statusOf(server, 'jpeg')).toBe(200);
      const [thread] = threads;
      let isOver = false;
      const clients = Array.from({ length: 4 }, () => askedUntil(server, 'jpeg', () => isOver));
      await thread?.terminate();
      await expect.poll(() => statusOf(server, 'jpeg'), { timeout: 30_000 }).toBe(200);
      isOver = true;
      const statuses = (await Promise.all(clients)).flat();
      expect(statuses.filter((status) => ![200, 500, 503].includes(status))).toEqual([]);
      expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
      expect(threads.length).toBeGreaterThan(1);
    } finally {
      process.off('worker', note);
    }
  });

  const childList = `/proc/${process.pid}/task/${process.pid}/children`;
  const children = () => readFileSync(childList, 'utf8').split(' ').filter(Boolean).map(Number);

  test.skipIf(process.platform !== 'linux')(
    'a decoder that is killed costs at most its image, and the others are decoded (needs Linux)',
    async () => {
      const before = children();
      await using server = await serve([model], quiet);
      expect(await statusOf(server, 'png')).toBe(200);
      let isOver = false;
      const clients = Array.from({ length: 4 }, () => askedUntil(server, 'png', () => isOver));
      for (let i = 0; i < 5; i++) {
        for (const pid of children().filter((child) => !before.includes(child))) process.kill(pid, 'SIGKILL');
        expect(await statusOf(server, 'png')).toBe(200);
      }
      isOver = true;
      const statuses = (await Promise.all(clients)).flat();
      expect(statuses.filter((status) => status !== 200 && status !== 422)).toEqual([]);
      expect(await statusOf(server, 'png')).toBe(200);
    },
  );
});
