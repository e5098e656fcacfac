import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { tensor } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { augmentImages } from './augmentImages.js';
import {
  type Box,
  type ColorKind,
  colorKinds,
  encodeChanges,
  type ImageChanges,
  type Size,
} from './changes.js';
import { type Movement, positionMap } from './geometry.js';

/** Torchvision's results, produced by bench/fixtures/data/make_augmentations.py. */
interface Golden extends Record<Expected, number[][]> {
  readonly shape: [number, number, number, number];
  readonly images: number[];
  readonly factors: number[];
  readonly shifts: number[];
  readonly angles: number[];
  readonly zooms: number[];
  readonly shears: number[];
  readonly pixels: number[];
  readonly crops: [number, number, number, number][];
  readonly boxes: [number, number, number, number][];
}
type Expected =
  | ColorKind
  | 'rotate'
  | 'bilinearRotate'
  | 'zoom'
  | 'shearX'
  | 'shearY'
  | 'shiftX'
  | 'shiftY'
  | 'crop'
  | 'largerCrop'
  | 'flip'
  | 'verticalFlip'
  | 'erase';

const fixture = resolve(import.meta.dirname, '../../../test/fixtures/data/augmentations.json');
const golden: Golden = JSON.parse(readFileSync(fixture, 'utf8'));
const [count, , height, width] = golden.shape;
const images = tensor(Float32Array.from(golden.images), { shape: golden.shape })
  .permute([0, 2, 3, 1])
  .contiguous();
const whole: Box = { top: 0, left: 0, height, width };

/** Our result for each image, and torchvision's. */
function results(
  name: Expected,
  changesOf: (image: number) => Partial<ImageChanges>,
  resultSize: Size = { width, height },
) {
  const changes = Array.from({ length: count }, (_, i): ImageChanges => {
    const unchanged = { map: positionMap({ part: whole }, resultSize), part: whole, colors: [] };
    return { ...unchanged, interpolation: 'bilinear', ...changesOf(i) };
  });
  const ours = augmentImages(images, encodeChanges(changes), { mean: [0], std: [1] }, resultSize);
  return { ours: Array.from(ours.toFloat32Array()), torchvision: golden[name].flat() };
}

function difference({ ours, torchvision }: ReturnType<typeof results>): number {
  expect(ours.length).toBe(torchvision.length);
  return Math.max(...ours.map((value, i) => Math.abs(value - torchvision[i]!)));
}

/** The share of values that differ by more than 1e-5. */
function shareDifferent({ ours, torchvision }: ReturnType<typeof results>): number {
  const isDifferent = ours.map((value, i) => Math.abs(value - torchvision[i]!) > 1e-5);
  return isDifferent.filter(Boolean).length / ours.length;
}

function moved(movement: Partial<Movement>, resultSize: Size = { width, height }): Partial<ImageChanges> {
  const part = movement.part ?? whole;
  return { map: positionMap({ ...movement, part }, resultSize), part };
}

function box(name: 'crops' | 'boxes', image: number): Box {
  const [top, left, height, width] = golden[name][image]!;
  return { top, left, height, width };
}

test.each(colorKinds)("%s matches torchvision's", (kind) => {
  const factors = golden[kind === 'hue' ? 'shifts' : 'factors'];
  expect(difference(results(kind, (i) => ({ colors: [{ kind, factor: factors[i]! }] })))).toBeLessThan(2e-6);
});

test("flips match torchvision's bit for bit", () => {
  expect(difference(results('flip', () => moved({ isMirrored: true })))).toBeLessThan(1e-7);
  expect(difference(results('verticalFlip', () => moved({ isFlipped: true })))).toBeLessThan(1e-7);
});

test("rotation with the nearest pixel matches torchvision's: black outside", () => {
  const nearest = (i: number) => ({
    ...moved({ angle: golden.angles[i]! }),
    interpolation: 'nearest' as const,
  });
  expect(difference(results('rotate', nearest))).toBeLessThan(1e-6);
});

test("shears and shifts with the nearest pixel match torchvision's", () => {
  const nearest = (movement: Partial<Movement>) => ({
    ...moved(movement),
    interpolation: 'nearest' as const,
  });
  const shears = (axis: 0 | 1) => (i: number) => {
    const shear = golden.shears[i]!;
    return nearest({ shear: axis === 0 ? [shear, 0] : [0, shear] });
  };
  expect(shareDifferent(results('shearX', shears(0)))).toBeLessThan(0.02); // a position between two pixels
  expect(shareDifferent(results('shearY', shears(1)))).toBeLessThan(0.02);
  expect(
    difference(results('shiftX', (i) => nearest({ shift: [golden.pixels[i]! / width, 0] }))),
  ).toBeLessThan(1e-6);
  expect(
    difference(results('shiftY', (i) => nearest({ shift: [0, golden.pixels[i]! / height] }))),
  ).toBeLessThan(1e-6);
});

// Torchvision fades into black within a pixel of the border; ours shows the border's pixels up to their edge.
test.each([
  ['bilinearRotate', (i: number) => moved({ angle: golden.angles[i]! })],
  ['zoom', (i: number) => moved({ zoom: golden.zooms[i]! })],
] as const)("bilinear %s matches torchvision's except along the border", (name, changesOf) => {
  const found = results(name, changesOf);
  expect(shareDifferent(found)).toBeLessThan(0.25); // 38 of 108 pixels are on the border
  expect(found.ours.every((value) => value >= 0 && value <= 1)).toBe(true);
});

test("a resized crop matches torchvision's without antialiasing, to the images' size and to a larger one", () => {
  const crop = (i: number) => moved({ part: box('crops', i) });
  expect(difference(results('crop', crop))).toBeLessThan(2e-6);
  const larger = { width: 15, height: 14 };
  const largerCrop = (i: number) => moved({ part: box('crops', i) }, larger);
  expect(difference(results('largerCrop', largerCrop, larger))).toBeLessThan(2e-6);
});

test("erasing matches torchvision's", () => {
  expect(difference(results('erase', (i) => ({ erased: box('boxes', i) })))).toBeLessThan(1e-7);
});

test('rows that point outside the image read nothing there', () => {
  const wild = encodeChanges([
    {
      map: [1, 0, 0, 0, 1, 0],
      part: { top: -1e9, left: 1e9, height: 5, width: 1e9 },
      interpolation: 'bilinear',
      colors: [],
    },
    { map: [Number.NaN, 0, 1e30, 0, 1e30, 0], part: whole, interpolation: 'nearest', colors: [] },
    {
      map: [1, 0, -1e9, 0, 1, 0],
      part: { ...whole, left: Number.NaN },
      interpolation: 'bilinear',
      colors: [],
      erased: { ...whole, width: 1e9 },
    },
  ]);
  const values = augmentImages(images, wild, { mean: [0], std: [1] }).toFloat32Array();
  expect(values.every((value) => value >= 0 && value <= 1)).toBe(true);
});
