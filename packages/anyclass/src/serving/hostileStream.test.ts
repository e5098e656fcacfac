// The permanent adversary, in short; npm run test:hostile sends a hundred thousand requests.

import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { attackServer } from '../../test/hostile/attackServer.mjs';
import { grammar } from '../../test/hostile/grammar.mjs';
import { failuresOf } from '../../test/hostile/limits.mjs';
import { picture, saveServedModel } from '../../test/servedModels.js';

const folder = testFolder();
const model = join(folder, 'model.safetensors');
beforeAll(() => saveServedModel(model));

test('the same seed gives the same requests, and another seed gives others', async () => {
  const options = { model: 'm', picture: await picture(1), bombs: new Map([['none', Buffer.alloc(9)]]) };
  const stream = (seed: number) => {
    const next = grammar({ seed, ...options });
    return Array.from({ length: 50 }, () => next().bytes.toString('latin1'));
  };
  expect(stream(1)).toEqual(stream(1));
  expect(stream(2)).not.toEqual(stream(1));
});

describe.skipIf(process.platform !== 'linux')('a server (needs Linux)', () => {
  test('survives 2,000 hostile requests within its memory, and answers everybody else', {
    timeout: 300_000,
  }, async () => {
    const result = await attackServer({ model, picture: await picture(1), requests: 2000, seed: 1 });
    expect(result.sent).toBe(2000);
    expect(result.asked).toBeGreaterThan(0);
    expect(failuresOf(result)).toEqual([]);
  });
});
