import { hasCuda, liveTensors } from '@anyclass/torch';
import { beforeAll, describe, expect, test } from 'vitest';
import { collectTensors } from '../../../../torch/test/collectTensors.js';
import { augmentations } from '../augmentation/parameters.js';
import { decodedPixels } from '../images/pixelSource.js';
import { openDataset } from '../openDataset.js';
import { randomStream } from '../random/philox.js';
import { deviceBatch } from './deviceBatch.js';
import { type Batch, createLoader } from './loader.js';

beforeAll(collectTensors);

const dataset = await openDataset('digits', { digits: { scenes: { train: 32, validation: 4, test: 4 } } });
const format = { width: 64, height: 64, channels: 1 } as const;

async function firstBatch(batchSize: number): Promise<Batch> {
  const pixels = decodedPixels(dataset.images, format);
  const loader = createLoader(dataset, pixels, { rows: dataset.splits.train, batchSize });
  const { value } = await loader.epoch(0).next();
  return value;
}

const mean = [0.47, 0.447, 0.408];
const std = [0.233, 0.228, 0.231];

function colorBatch(size: number, width: number, height: number, byte: () => number): Batch {
  return {
    epoch: 0,
    step: 0,
    size,
    inputs: Uint8Array.from({ length: size * width * height * 3 }, byte),
    targets: new Float32Array(size),
    indices: Int32Array.from({ length: size }, (_, i) => i),
    [Symbol.dispose]() {},
  };
}

const options = { format, device: 'cpu', mean: [0.1], std: [0.5] } as const;

test('evaluation: bytes become normalized floats on three equal channels, in channels-last order', async () => {
  const batch = await firstBatch(4);
  const { inputs: images, targets } = deviceBatch(batch, options);
  expect(images.shape).toEqual([4, 3, 64, 64]);
  expect(images.isContiguous('channelsLast')).toBe(true);
  const values = images.toFloat32Array();
  for (const at of [0, 1000, 4095]) {
    expect(values[at]).toBeCloseTo((batch.inputs[at]! / 255 - 0.1) / 0.5, 6);
    expect(values[4096 + at]).toBe(values[at]);
  }
  expect([...targets.toFloat32Array()]).toEqual([...batch.targets]);
});

test('unknown and soft targets reach the device unchanged', async () => {
  const batch = await firstBatch(4);
  batch.targets.set([Number.NaN, 0.7, 1, 0]);
  const { targets } = deviceBatch(batch, options);
  expect(targets.dtype).toBe('float32');
  expect(targets.toFloat32Array()).toEqual(batch.targets);
  expect([...batch.targets.subarray(0, 4)]).toEqual([Number.NaN, Math.fround(0.7), 1, 0]);
});

test('augmentation of an image does not depend on its batch', async () => {
  const augmentation = {
    ...augmentations['x-ray'],
    resizedCrop: { scale: [0.5, 1], ratio: [0.75, 1.33] },
  } as const;
  const large = deviceBatch(await firstBatch(16), { ...options, augmentation, seed: 9 }).inputs;
  const small = deviceBatch(await firstBatch(4), { ...options, augmentation, seed: 9 }).inputs;
  expect(small.toFloat32Array()).toEqual(large.narrow(0, 0, 4).toFloat32Array());
  const plain = deviceBatch(await firstBatch(4), options).inputs;
  expect(small.toFloat32Array()).not.toEqual(plain.toFloat32Array());
});

test('copies of an image in a batch are changed and mixed differently', async () => {
  const one = colorBatch(1, 8, 8, () => 100);
  const stream = randomStream('sample', 1, 0, 0);
  const bytes = Uint8Array.from({ length: one.inputs.length }, () => stream.below(256));
  const copies = { ...one, size: 2, inputs: Uint8Array.of(...bytes, ...bytes), targets: new Float32Array(2) };
  const given = {
    format: { width: 8, height: 8, channels: 3 },
    device: 'cpu',
    mean,
    std,
    augmentation: augmentations.photograph,
  } as const;
  const changed = (draws: Int32Array | undefined) => {
    const { inputs } = deviceBatch({ ...copies, indices: Int32Array.of(5, 5), draws }, given);
    return [0, 1].map((i) => inputs.at(i).contiguous().toFloat32Array());
  };
  const [first, second] = changed(Int32Array.of(5, 105));
  expect(second).not.toEqual(first);
  const [alike, same] = changed(undefined);
  expect(same).toEqual(alike);
  expect(first).toEqual(alike);
});

test('nothing but the result stays alive', async () => {
  const batch = await firstBatch(8);
  const before = liveTensors();
  const result = deviceBatch(batch, { ...options, augmentation: augmentations['x-ray'] });
  expect(liveTensors() - before).toBe(2);
  result.inputs.dispose();
  result.targets.dispose();
});

test('each color is normalized by its own mean and standard deviation, whatever the width', () => {
  const draw = randomStream('sample', 2, 0, 0);
  for (const width of [1, 5, 64, 131]) {
    const batch = colorBatch(2, width, 3, () => draw.below(256));
    const given = { format: { width, height: 3, channels: 3 }, device: 'cpu', mean, std } as const;
    const values = deviceBatch(batch, given).inputs.permute([0, 2, 3, 1]).toFloat32Array();
    values.forEach((value, i) => {
      expect(value).toBeCloseTo((batch.inputs[i]! / 255 - mean[i % 3]!) / std[i % 3]!, 5);
    });
  }
});

test('an empty augmentation gives the same result as none', async () => {
  const batch = await firstBatch(5);
  const plain = deviceBatch(batch, options).inputs.toFloat32Array();
  const augmented = deviceBatch(batch, { ...options, augmentation: {} }).inputs.toFloat32Array();
  augmented.forEach((value, i) => {
    expect(value).toBeCloseTo(plain[i]!, 5);
  });
});

test('pixels rotated in from outside are black before color changes and normalization; erased ones are 0 after them', () => {
  const augmentation = {
    rotation: 45,
    jitter: { brightness: 0.4, contrast: 0, saturation: 0, hue: 0 },
    erasing: { probability: 1, scale: [0.1, 0.1], ratio: [1, 1] },
  } as const;
  const white = colorBatch(6, 32, 32, () => 255);
  const given = { format: { width: 32, height: 32, channels: 3 }, device: 'cpu', mean, std } as const;
  const { inputs: images } = deviceBatch(white, { ...given, augmentation });
  expect(images.isContiguous('channelsLast')).toBe(true);
  const black = Math.fround(-mean[0]! / std[0]!);
  const darkest = (0.6 - mean[0]!) / std[0]!;
  const reds = Array.from({ length: white.size }, (_, i) =>
    images.narrow(0, i, 1).narrow(1, 0, 1).toFloat32Array(),
  );
  for (const red of reds) {
    expect(red.filter((value) => value === 0).length).toBe(100);
    const bright = new Set(red.filter((value) => value !== 0 && value !== black));
    expect([...bright].map((value) => value >= darkest)).toEqual([true]);
  }
  // An image that is hardly rotated has no pixels from outside.
  expect(reds.filter((red) => red.includes(black)).length).toBeGreaterThan(3);
});

test("a batch's memory is not reused while any tensor refers to it", () => {
  const given = { format: { width: 8, height: 8, channels: 3 }, device: 'cpu', mean: [0], std: [1] } as const;
  const first = deviceBatch(
    colorBatch(4, 8, 8, () => 255),
    given,
  ).inputs;
  const part = first.narrow(0, 1, 2);
  first.dispose();
  for (let i = 0; i < 5; i++) {
    const { inputs: images } = deviceBatch(
      colorBatch(4, 8, 8, () => 51),
      given,
    );
    expect(images.toFloat32Array().every((value) => Math.abs(value - 0.2) < 1e-6)).toBe(true);
    images.dispose();
  }
  expect(part.toFloat32Array().every((value) => Math.abs(value - 1) < 1e-6)).toBe(true);
});

describe.skipIf(!hasCuda())(`batches on cuda${hasCuda() ? '' : ' (skipped: no CUDA device)'}`, () => {
  test("the bytes that arrive from pinned memory are the batch's own, even with several batches in flight", () => {
    const draw = randomStream('sample', 4, 0, 0);
    const given = {
      format: { width: 64, height: 64, channels: 3 },
      device: 'cuda',
      mean: [0],
      std: [1 / 255],
    } as const;
    const batches = Array.from({ length: 8 }, () => colorBatch(32, 64, 64, () => draw.below(256)));
    // All are in flight before the first is checked: pinned memory that is released too early would show.
    const arrived = batches.map((batch) => {
      const bytes = Uint8Array.from(batch.inputs);
      const { inputs: images } = deviceBatch(batch, given);
      batch.inputs.fill(0); // the loader reuses the memory immediately
      return { bytes, images };
    });
    for (const { bytes, images } of arrived) {
      const values = images.permute([0, 2, 3, 1]).round().toFloat32Array();
      expect(Buffer.from(Uint8Array.from(values)).equals(bytes)).toBe(true);
    }
  });
});
