import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Tensor, tensor } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { augmentImages } from './augmentImages.js';
import { eraseBoxes } from './erase.js';
import { cropAndResize, rotate } from './geometry.js';
import { type Box, colorChanges, type Jitter, pixelChangesPerImage } from './parameters.js';

/** Torchvision's results, produced by bench/fixtures/data/make_augmentations.py. */
interface Golden extends Record<Expected, number[][]> {
  readonly shape: number[];
  readonly images: number[];
  readonly factors: number[];
  readonly shifts: number[];
  readonly angles: number[];
  readonly crops: [number, number, number, number][];
  readonly boxes: [number, number, number, number][];
}
type Expected = keyof Jitter | 'rotate' | 'crop' | 'flip' | 'erase';

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

/** The golden images with one change each, or all flipped. */
function changed(of: keyof Jitter | 'flip'): Tensor {
  const factors = golden[of === 'hue' ? 'shifts' : 'factors'];
  const row = (i: number) => (of === 'flip' ? [1] : [0, colorChanges[of], factors[i]!]);
  const rows = new Float32Array(3 * pixelChangesPerImage);
  for (const i of [0, 1, 2]) rows.set(row(i), i * pixelChangesPerImage);
  return augmentImages(images.permute([0, 2, 3, 1]).contiguous(), rows, { mean: [0], std: [1] });
}

test.each(['brightness', 'contrast', 'saturation', 'hue'] as const)("%s matches torchvision's", (kind) => {
  expect(difference(changed(kind), kind)).toBeLessThan(2e-6);
});

test("a flip matches torchvision's", () => {
  expect(difference(changed('flip'), 'flip')).toBeLessThan(1e-7);
});

test("rotation matches torchvision's: nearest neighbor, black outside", () => {
  expect(difference(rotate(images, golden.angles), 'rotate')).toBeLessThan(1e-6);
});

test("a resized crop matches torchvision's without antialiasing", () => {
  expect(difference(cropAndResize(images, boxes('crops')), 'crop')).toBeLessThan(2e-6);
});

test("erasing matches torchvision's", () => {
  expect(difference(eraseBoxes(images, boxes('boxes')), 'erase')).toBeLessThan(1e-7);
});
