import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Device, hasCuda, type Tensor, tensor } from '@anyclass/torch';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { augmentImages } from './augmentImages.js';
import { type Box, encodeChanges, type ImageChanges } from './changes.js';
import { positionMap } from './geometry.js';
import { drawOne } from './parameters.js';

/** Torchvision's blur and libjpeg's files, produced by bench/fixtures/data/make_augmentations.py. */
interface Golden {
  readonly shape: [number, number, number, number];
  readonly images: number[];
  readonly deviations: number[];
  readonly blur: number[][];
  readonly photograph: { readonly shape: [number, number, number]; readonly pixels: number[] };
  readonly jpeg: { readonly quality: number; readonly pixels: number[] }[];
}

const fixture = resolve(import.meta.dirname, '../../../test/fixtures/data/augmentations.json');
const golden: Golden = JSON.parse(readFileSync(fixture, 'utf8'));
const photograph = tensor(Uint8Array.from(golden.photograph.pixels), {
  shape: [1, ...golden.photograph.shape],
});
const plain = { mean: [0], std: [1] };
const normalization = { mean: [0.47, 0.447, 0.408], std: [0.233, 0.228, 0.231] };

type Filters = Partial<Pick<ImageChanges, 'blur' | 'quality' | 'erased' | 'colors'>>;

/** [N, H, W, 3] bytes, or floats, with the same filters for all, in the order of the given memory. */
function filtered(images: Tensor, filters: readonly Filters[], scaling = plain): Float32Array {
  const [, height = 0, width = 0] = images.shape;
  const part: Box = { top: 0, left: 0, height, width };
  const changes = filters.map((filter): ImageChanges => {
    return { map: positionMap({ part }, part), part, interpolation: 'nearest', colors: [], ...filter };
  });
  const result = augmentImages(images, encodeChanges(changes), scaling);
  expect(result.isContiguous('channelsLast')).toBe(true);
  return result.permute([0, 2, 3, 1]).toFloat32Array();
}

test("a blur matches torchvision's with a kernel of three deviations, reflected at the border", () => {
  const images = tensor(Float32Array.from(golden.images), { shape: golden.shape })
    .permute([0, 2, 3, 1])
    .contiguous();
  const [count, channels, height, width] = golden.shape;
  const filters = golden.deviations.map((blur) => ({ blur }));
  const ours = tensor(filtered(images, filters), { shape: [count, height, width, channels] });
  const found = ours.permute([0, 3, 1, 2]).contiguous().toFloat32Array();
  const difference = golden.blur.flat().map((value, i) => Math.abs(value - found[i]!));
  expect(Math.max(...difference)).toBeLessThan(2e-6);
});

/** The share of values that may be more than a level apart: where steps are 1 to 5, the rounding of libjpeg's whole-number transform shows. */
function shareApart(quality: number): number {
  return quality > 90 ? 0.05 : 0.01;
}

test.each(golden.jpeg)(
  "a JPEG of quality $quality matches libjpeg's within one level but for a few values",
  ({ quality, pixels }) => {
    const ours = filtered(photograph, [{ quality }]);
    const differences = Array.from(ours, (value, i) => Math.abs(255 * value - pixels[i]!));
    const changed = golden.photograph.pixels.filter((byte, i) => Math.abs(byte - pixels[i]!) > 3).length;
    expect(changed / pixels.length).toBeGreaterThan(quality > 90 ? 0.02 : 0.3); // the file did change something
    expect(differences.filter((difference) => difference > 1.01).length / pixels.length).toBeLessThan(
      shareApart(quality),
    );
    expect(Math.max(...differences)).toBeLessThan(8);
  },
);

test('blur, JPEG and erasing follow one another, after the colors, whatever the normalization', () => {
  const erased = { top: 3, left: 5, height: 9, width: 12 };
  const colors = [{ kind: 'brightness', factor: 0.7 }] as const;
  const all = filtered(photograph, [{ colors, blur: 1.5, quality: 40, erased }], normalization);
  const shape = [1, ...golden.photograph.shape];
  const step = (given: Float32Array, filter: Filters) => filtered(tensor(given, { shape }), [filter]);
  const dark = filtered(photograph, [{ colors }]);
  const compressed = step(step(dark, { blur: 1.5 }), { quality: 40 });
  const [, width = 0] = golden.photograph.shape;
  const expected = Array.from(compressed, (value, i) => {
    const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)];
    const isErased = x >= 5 && x < 17 && y >= 3 && y < 12;
    return isErased ? 0 : (value - normalization.mean[i % 3]!) / normalization.std[i % 3]!;
  });
  const far = expected.filter((value, i) => Math.abs(value - all[i]!) > 2e-5);
  expect(far.length / expected.length).toBeLessThan(0.01); // bytes on the edge of rounding
});

const filterSets = fc.array(
  fc.record({
    blur: fc.option(fc.double({ min: 0.05, max: 10, noNaN: true }), { nil: undefined }),
    quality: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 4 },
);
const someImages = fc
  .record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 20 }),
    filters: filterSets,
  })
  .chain(({ width, height, filters }) => {
    const length = width * height * 3 * filters.length;
    return fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((bytes) => ({ filters, images: tensor(bytes, { shape: [filters.length, height, width, 3] }) }));
  });

test('an image of any size has the same bits alone and in a batch; those without filters keep theirs', () => {
  fc.assert(
    fc.property(someImages, ({ images, filters }) => {
      const together = filtered(images, filters, normalization);
      const unfiltered = filtered(
        images,
        filters.map(() => ({})),
        normalization,
      );
      const length = together.length / filters.length;
      filters.forEach((filter, i) => {
        const own = together.slice(i * length, (i + 1) * length);
        expect(filtered(images.narrow(0, i, 1), [filter], normalization)).toEqual(own);
        const isPlain = filter.blur === undefined && filter.quality === undefined;
        if (isPlain) expect(own).toEqual(unfiltered.slice(i * length, (i + 1) * length));
      });
      expect(together.every(Number.isFinite)).toBe(true);
    }),
  );
});

test('a blur keeps an even image, a JPEG of quality 100 is within two levels, and gray stays gray', () => {
  fc.assert(
    fc.property(
      fc.nat(255),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 30 }),
      (byte, w, h) => {
        const even = tensor(new Uint8Array(w * h * 3).fill(byte), { shape: [1, h, w, 3] });
        const blurred = filtered(even, [{ blur: 3 }]);
        expect(Math.max(...blurred.map((value) => Math.abs(255 * value - byte)))).toBeLessThan(1e-3);
        const fine = filtered(even, [{ quality: 100 }]);
        expect(Math.max(...fine.map((value) => Math.abs(255 * value - byte)))).toBeLessThan(2.01);
      },
    ),
    { numRuns: 30 },
  );
  const gray = tensor(
    Uint8Array.from({ length: 20 * 20 }, (_, i) => (i * i) % 251),
    {
      shape: [1, 20, 20, 1],
    },
  );
  const values = filtered(gray, [{ blur: 1, quality: 20 }]);
  values.forEach((value, i) => {
    expect(value).toBe(values[i - (i % 3)]);
  });
});

test('rows with absurd filters are kept within their limits', () => {
  const wild = [{ blur: 1e30, quality: Number.NaN }, { blur: Number.NaN, quality: 1e9 }, { quality: -5 }];
  const images = photograph.expand([3, ...golden.photograph.shape]).contiguous();
  const largest = [{ blur: 10 }, { quality: 100 }, {}];
  expect(filtered(images, wild)).toEqual(filtered(images, largest));
});

test('blurs and qualities are drawn from their ranges, as often as asked, and leave the other draws as they are', () => {
  const size = { width: 32, height: 32 };
  const others = { flip: 0.5, rotation: 10 };
  const augmentation = {
    ...others,
    blur: { probability: 0.3, sigma: [0.5, 2] },
    jpeg: { probability: 0.6, quality: [30, 33] },
  } as const;
  const drawn = Array.from({ length: 4000 }, (_, index) =>
    drawOne(augmentation, index, { seed: 1, epoch: 0, size }),
  );
  const blurs = drawn.flatMap(({ blur }) => blur ?? []);
  const qualities = drawn.flatMap(({ quality }) => quality ?? []);
  expect(Math.abs(blurs.length / 4000 - 0.3)).toBeLessThan(0.03);
  expect(Math.abs(qualities.length / 4000 - 0.6)).toBeLessThan(0.03);
  expect(Math.min(...blurs)).toBeGreaterThanOrEqual(0.5);
  expect(Math.max(...blurs)).toBeLessThanOrEqual(2);
  expect(blurs.filter((blur) => blur > 1.25).length / blurs.length).toBeCloseTo(0.5, 1);
  expect(new Set(qualities)).toEqual(new Set([30, 31, 32, 33]));
  expect(drawn[7]!.map).toEqual(drawOne(others, 7, { seed: 1, epoch: 0, size }).map);
});

describe.skipIf(!hasCuda())(`filters on cuda${hasCuda() ? '' : ' (skipped: no CUDA device)'}`, () => {
  const onGpu = (images: Tensor, filters: readonly Filters[]) =>
    filtered(images.to({ device: 'cuda' satisfies Device }), filters, normalization);

  test("match the CPU's, but for bytes on the edge of rounding, with the same bits alone, in a batch and repeated", () => {
    fc.assert(
      fc.property(someImages, ({ images, filters }) => {
        const gpu = onGpu(images, filters);
        const cpu = filtered(images, filters, normalization);
        const length = cpu.length / filters.length;
        filters.forEach(({ quality }, i) => {
          const apart = Array.from(cpu.slice(i * length, (i + 1) * length), (value, k) =>
            Math.abs(value - gpu[i * length + k]!),
          );
          const most = quality === undefined ? 2e-5 : 0.05; // a level is 0.017
          const share = apart.filter((difference) => difference > most).length / length;
          expect(share).toBeLessThan(quality === undefined ? 1e-9 : 0.2);
        });
        expect(onGpu(images, filters)).toEqual(gpu);
        expect(onGpu(images.narrow(0, 0, 1), filters.slice(0, 1))).toEqual(gpu.slice(0, length));
      }),
    );
  });

  test.each(golden.jpeg)("a JPEG of quality $quality matches libjpeg's", ({ quality, pixels }) => {
    const ours = filtered(photograph.to({ device: 'cuda' }), [{ quality }]);
    const far = Array.from(ours).filter((value, i) => Math.abs(255 * value - pixels[i]!) > 1.01);
    expect(far.length / pixels.length).toBeLessThan(shareApart(quality));
  });
});
