import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Tensor, tensor } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { jitterColours } from './colour.js';
import { eraseBoxes } from './erase.js';
import { cropAndResize, flipHorizontally, rotate } from './geometry.js';
import type { Box, ColourChange } from './parameters.js';

/** Torchvision's results, made by bench/fixtures/data/make_augmentations.py. */
interface Golden extends Record<Expected, number[][]> {
  readonly shape: number[];
  readonly images: number[];
  readonly factors: number[];
  readonly shifts: number[];
  readonly angles: number[];
  readonly crops: [number, number, number, number][];
  readonly boxes: [number, number, number, number][];
}
type Expected = ColourChange['kind'] | 'rotate' | 'crop' | 'flip' | 'erase';

const fixture = resolve(import.meta.dirname, '../../../test/fixtures/data/augmentations.json');
const golden: Golden = JSON.parse(readFileSync(fixture, 'utf8'));
const { shape } = golden;
const images = tensor(Float32Array.from(golden.images), { shape });

/** The largest difference from torchvision's result. */
function difference(result: Tensor, name: Expected): number {
  expect(result.shape).toEqual(shape);
  const expected = golden[name].flat();
  return Math.max(...result.toFloat32Array().map((value, i) => Math.abs(value - expected[i]!)));
}

function boxes(name: 'crops' | 'boxes'): Box[] {
  return golden[name].map(([top, left, height, width]) => ({ top, left, height, width }));
}

function changes(...kinds: ColourChange['kind'][]): ColourChange[][] {
  return [0, 1, 2].map((i) =>
    kinds.map((kind) => ({ kind, factor: golden[kind === 'hue' ? 'shifts' : 'factors'][i]! })),
  );
}

test.each(['brightness', 'contrast', 'saturation', 'hue'] as const)("%s is torchvision's", (kind) => {
  expect(difference(jitterColours(images, changes(kind)), kind)).toBeLessThan(2e-6);
});

test('changes of colour are applied in the order of each image', () => {
  const [first, , third] = changes('contrast', 'saturation', 'hue', 'brightness');
  const orders = [first!, changes('brightness', 'hue', 'saturation', 'contrast')[1]!, third!];
  const together = jitterColours(images, orders);
  orders.forEach((order, i) => {
    const alone = order.reduce((image, change) => jitterColours(image, [[change]]), images.narrow(0, i, 1));
    const expected = alone.toFloat32Array();
    together
      .narrow(0, i, 1)
      .toFloat32Array()
      .forEach((value, k) => {
        expect(value).toBeCloseTo(expected[k]!, 6);
      });
  });
});

test("rotation is torchvision's, nearest neighbour with black outside", () => {
  expect(difference(rotate(images, golden.angles), 'rotate')).toBeLessThan(1e-6);
});

test("a resized crop is torchvision's without antialias", () => {
  expect(difference(cropAndResize(images, boxes('crops')), 'crop')).toBeLessThan(2e-6);
});

test('a flip mirrors, exactly, those images that it is for', () => {
  expect(difference(flipHorizontally(images, [true, true, true]), 'flip')).toBeLessThan(1e-7);
  const some = flipHorizontally(images, [false, true, false]).toFloat32Array();
  expect(some.subarray(0, 324)).toEqual(images.toFloat32Array().subarray(0, 324));
});

test("erasing is torchvision's", () => {
  expect(difference(eraseBoxes(images, boxes('boxes')), 'erase')).toBeLessThan(1e-7);
});
