import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { tinyRun } from '../../test/tinyRun.js';
import { validateConfiguration } from '../configuration/validate.js';
import { createNetwork } from '../networks/createNetwork.js';
import { checkSizes, plannedSizes, trainingSize } from './trainingSizes.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();

const fields = validateConfiguration({
  data: { dataset: 'digits' },
  network: { inputSize: 160 },
  epochs: 40,
  sizes: 'progressive',
});

test('progressive sizes are 60%, 80% and all of the input, a third of the epochs each, in multiples of 32', () => {
  expect(plannedSizes(fields)).toEqual([
    { epoch: 1, size: 96 },
    { epoch: 14, size: 128 },
    { epoch: 27, size: 160 },
  ]);
  const sizesAt = (inputSize: number) =>
    plannedSizes({ ...fields, network: { ...fields.network, inputSize } }).map(({ size }) => size);
  expect(sizesAt(224)).toEqual([128, 192, 224]);
  expect(sizesAt(128)).toEqual([64, 96, 128]);
  expect(sizesAt(16)).toEqual([16, 16, 16]);
});

test('progressive sizes are whole windows, and one size for a network that takes no other, with a remark', () => {
  const network = (options: object) => validateConfiguration({ ...fields, network: options });
  const windows = network({ name: 'maxvit-t', inputSize: 448 });
  expect(plannedSizes(windows).map(({ size }) => size)).toEqual([224, 448, 448]);
  const tied = network({ name: 'vit-s-16', inputSize: 32 });
  expect(plannedSizes(tied)).toEqual([]);
  using built = createNetwork('vit-s-16', { classes: 2, inputSize: 32 });
  expect(checkSizes(built, tied)).toEqual([
    expect.stringMatching(/^sizes: progressive has no effect.*vit-s-16.*32 px$/),
  ]);
});

test('a size holds from its epoch until the next one, whatever their order; before the first, none is set', () => {
  const sizes = [
    { epoch: 5, size: 128 },
    { epoch: 2, size: 96 },
  ];
  const bySize = (size: number | undefined) => size && { width: size, height: size };
  expect([0, 1, 3, 4, 9].map((epoch) => trainingSize({ ...fields, sizes }, epoch))).toEqual(
    [undefined, 96, 96, 128, 128].map(bySize),
  );
});

test('a size that the network cannot take is refused before training, with the reason', () => {
  using network = createNetwork('vit-s-16', { classes: 2, inputSize: 32 });
  expect(() => checkSizes(network, { ...fields, sizes: [{ epoch: 1, size: 64 }] })).toThrow(
    /sizes: vit-s-16, built for 32 px, cannot train at 64 px/,
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
