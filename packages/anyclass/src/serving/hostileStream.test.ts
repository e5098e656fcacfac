// The permanent adversary, in short; npm run test:hostile sends a hundred thousand requests.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackServer } from '../../test/hostile/attackServer.mjs';
import { grammar } from '../../test/hostile/grammar.mjs';
import { failuresOf } from '../../test/hostile/limits.mjs';
import { isBuilt, picture, saveServedModel } from '../../test/servedModels.js';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-adversary-'));
const model = join(folder, 'model.safetensors');
beforeAll(() => saveServedModel(model));
afterAll(() => rmSync(folder, { recursive: true }));

test('the same seed gives the same requests, and another seed gives others', async () => {
  const options = { model: 'm', picture: await picture(1), bombs: new Map([['none', Buffer.alloc(9)]]) };
  const stream = (seed: number) => {
    const next = grammar({ seed, ...options });
    return Array.from({ length: 50 }, () => next().bytes.toString('latin1'));
  };
  expect(stream(1)).toEqual(stream(1));
  expect(stream(2)).not.toEqual(stream(1));
});

describe.skipIf(!isBuilt || process.platform !== 'linux')(
  'a server (needs the built package, and Linux)',
  () => {
    test('survives 2,000 hostile requests within its memory, and answers everybody else', {
      timeout: 300_000,
    }, async () => {
      const result = await attackServer({ model, picture: await picture(1), requests: 2000, seed: 1 });
      expect(result.sent).toBe(2000);
      expect(result.asked).toBeGreaterThan(0);
      expect(failuresOf(result)).toEqual([]);
    });
  },
);
