import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { tinyRun } from '../../test/tinyRun.js';
import { createNetwork } from '../networks/createNetwork.js';
import { checkSizes, trainingSize } from './trainingSizes.js';
import { trainRun } from './trainRun.js';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-sizes-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a size holds from its epoch until the next one, whatever their order; before the first, none is set', () => {
  const sizes = [
    { epoch: 5, size: 128 },
    { epoch: 2, size: 96 },
  ];
  const bySize = (size: number | undefined) => size && { width: size, height: size };
  expect([0, 1, 3, 4, 9].map((epoch) => trainingSize({ sizes }, epoch))).toEqual(
    [undefined, 96, 96, 128, 128].map(bySize),
  );
});

test('a size that the network cannot take is refused before training, with the reason', () => {
  using network = createNetwork('vit-b-16', { classes: 2, inputSize: 32 });
  expect(() => checkSizes(network, { sizes: [{ epoch: 1, size: 64 }] })).toThrow(
    /sizes: vit-b-16, built for 32 px, cannot train at 64 px/,
  );
});

test('an epoch trains at its size, and its images still have the input size in validation', async () => {
  const trained = async (name: string, sizes: { epoch: number; size: number }[]) => {
    const { summary } = await trainRun({ ...tinyRun, epochs: 1, sizes }, { run: join(folder, name) });
    return summary?.validation;
  };
  const [own, smaller] = [await trained('own', []), await trained('smaller', [{ epoch: 1, size: 32 }])];
  expect(smaller).toBeDefined();
  expect(smaller).not.toEqual(own);
  expect(await trained('same', [{ epoch: 1, size: 16 }])).toEqual(own);
});
