import { liveTensors } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { augmentations } from './augmentation/parameters.js';
import { deviceBatch } from './deviceBatch.js';
import { decodedPixels } from './images/pixelSource.js';
import { UNKNOWN } from './labelMatrix.js';
import { type Batch, createLoader } from './loading/loader.js';
import { openDataset } from './openDataset.js';

const dataset = await openDataset('digits', { digits: { scenes: { train: 32, validation: 4, test: 4 } } });
const format = { width: 64, height: 64, channels: 1 } as const;

async function firstBatch(batchSize: number): Promise<Batch> {
  const pixels = decodedPixels(dataset.images, format);
  const loader = createLoader(dataset, pixels, { rows: dataset.splits.train, batchSize });
  const { value } = await loader.epoch(0).next();
  return value;
}

const options = { format, device: 'cpu', mean: [0.1], std: [0.5] } as const;

test('evaluation: bytes become normalised floats on three equal channels, in channels-last order', async () => {
  const batch = await firstBatch(4);
  const { images, targets, known } = deviceBatch(batch, options);
  expect(images.shape).toEqual([4, 3, 64, 64]);
  expect(images.isContiguous('channelsLast')).toBe(true);
  const values = images.toFloat32Array();
  for (const at of [0, 1000, 4095]) {
    expect(values[at]).toBeCloseTo((batch.images[at]! / 255 - 0.1) / 0.5, 6);
    expect(values[4096 + at]).toBe(values[at]);
  }
  expect([...targets.toFloat32Array()]).toEqual([...batch.targets]);
  expect(known).toBeUndefined();
});

test('unknown labels come with a mask', async () => {
  const batch = await firstBatch(4);
  batch.targets[2] = UNKNOWN;
  const { targets, known } = deviceBatch(batch, options);
  expect(targets.toFloat32Array()[2]).toBe(0);
  expect(known!.toFloat32Array()[2]).toBe(0);
  expect(known!.toFloat32Array()[3]).toBe(1);
});

test('what happens to an image does not depend on the batch it is in', async () => {
  const augmentation = {
    ...augmentations['x-ray'],
    resizedCrop: { scale: [0.5, 1], ratio: [0.75, 1.33] },
  } as const;
  const large = deviceBatch(await firstBatch(16), { ...options, augmentation, seed: 9 }).images;
  const small = deviceBatch(await firstBatch(4), { ...options, augmentation, seed: 9 }).images;
  expect(small.toFloat32Array()).toEqual(large.narrow(0, 0, 4).toFloat32Array());
  const plain = deviceBatch(await firstBatch(4), options).images;
  expect(small.toFloat32Array()).not.toEqual(plain.toFloat32Array());
});

test('nothing but the result stays alive', async () => {
  const batch = await firstBatch(8);
  const before = liveTensors();
  const result = deviceBatch(batch, { ...options, augmentation: augmentations['x-ray'] });
  expect(liveTensors() - before).toBe(2);
  result.images.dispose();
  result.targets.dispose();
});
