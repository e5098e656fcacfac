import { arange, type Device, hasCuda, type Tensor, tensor } from '@anyclass/torch';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { augmentImages } from './augmentImages.js';
import { type Box, type ColorChange, type ColorKind, encodeChanges, colorKinds as kinds } from './changes.js';
import { positionMap } from './geometry.js';

const colors = { mean: [0.47, 0.447, 0.408], std: [0.233, 0.228, 0.231] };
const grays = { mean: [0.1], std: [0.5] };
const tolerance = 2e-5; // in normalized values; 5e-6 of a pixel's range

interface Images {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly bytes: Uint8Array;
  readonly changes: readonly {
    readonly flip: boolean;
    readonly color: readonly ColorChange[];
  }[];
}

const changesOfOne = fc.record({
  flip: fc.boolean(),
  color: fc
    .shuffledSubarray([...kinds])
    .chain((order) =>
      fc.tuple(
        ...order.map((kind) =>
          fc
            .float({ min: kind === 'hue' ? -0.5 : 0, max: kind === 'hue' ? 0.5 : 2, noNaN: true })
            .map((factor) => ({ kind, factor })),
        ),
      ),
    ),
});

/** Few distinct bytes, so that gray pixels and equal channels, the corner cases of HSV, are frequent. */
const byte = fc.oneof(fc.nat(255), fc.constantFrom(0, 100, 255));

const someImages: fc.Arbitrary<Images> = fc
  .record({
    width: fc.integer({ min: 1, max: 37 }),
    height: fc.integer({ min: 1, max: 9 }),
    channels: fc.constantFrom(1, 3),
    changes: fc.array(changesOfOne, { minLength: 1, maxLength: 4 }),
  })
  .chain((shape) => {
    const length = shape.width * shape.height * shape.channels * shape.changes.length;
    return fc
      .array(byte, { minLength: length, maxLength: length })
      .map((bytes) => ({ ...shape, bytes: Uint8Array.from(bytes) }));
  });

function rowsOf({ changes, width, height }: Images): Float32Array {
  const part: Box = { top: 0, left: 0, width, height };
  return encodeChanges(
    changes.map(({ flip, color }) => {
      const map = positionMap({ part, isMirrored: flip }, part);
      return { map, part, interpolation: 'bilinear', colors: color };
    }),
  );
}

function tensorOf({ bytes, changes, height, width, channels }: Images): Tensor {
  return tensor(bytes, { shape: [changes.length, height, width, channels] });
}

function augmented(images: Images, given = tensorOf(images)): Float32Array {
  const normalization = images.channels === 3 ? colors : grays;
  const result = augmentImages(given, rowsOf(images), normalization);
  expect(result.isContiguous('channelsLast')).toBe(true);
  return result.permute([0, 2, 3, 1]).toFloat32Array();
}

function expectClose(actual: Float32Array, expected: ArrayLike<number>, tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  actual.forEach((value, i) => {
    if (!(Math.abs(value - expected[i]!) <= tolerance)) expect([i, value]).toEqual([i, expected[i]]);
  });
}

test('results match a plain double-precision composition: any changes in any order, gray or color, any size', () => {
  fc.assert(
    fc.property(someImages, (images) => {
      expectClose(augmented(images), reference(images), tolerance);
    }),
  );
});

test('each of the 24 orders of the four changes is respected', () => {
  const orders = kinds.reduce<ColorKind[][]>(
    (shorter, kind) =>
      shorter.flatMap((order) => order.concat(kind).map((_, at) => order.toSpliced(at, 0, kind))),
    [[]],
  );
  expect(new Set(orders.map((order) => order.join())).size).toBe(24);
  const changes = orders.map((order, i) => ({
    flip: i % 2 === 1,
    color: order.map((kind) => ({ kind, factor: kind === 'hue' ? 0.3 : 1.6 })),
  }));
  const bytes = Uint8Array.from({ length: 24 * 7 * 5 * 3 }, (_, i) => (i * i) % 251);
  const images = { width: 7, height: 5, channels: 3, bytes, changes };
  expectClose(augmented(images), reference(images), tolerance);
});

test('rows of more than a thousand pixels are changed and flipped as a whole', () => {
  const [width, height] = [1301, 3];
  const bytes = Uint8Array.from({ length: width * height * 3 }, (_, i) => (i * i) % 251);
  const color = kinds.map((kind) => ({ kind, factor: kind === 'hue' ? 0.2 : 0.8 }));
  const images = { width, height, channels: 3, bytes, changes: [{ flip: true, color }] };
  expectClose(augmented(images), reference(images), tolerance);
});

test('brightness and contrast change gray images; saturation and hue leave every bit unchanged', () => {
  const shape = { width: 600, height: 2, channels: 1 };
  const bytes = Uint8Array.from({ length: 1200 }, (_, i) => (i * i) % 251);
  const once = (kind: ColorKind, factor: number) =>
    augmented({ ...shape, bytes, changes: [{ flip: false, color: [{ kind, factor }] }] });
  const plain = augmented({ ...shape, bytes, changes: [{ flip: false, color: [] }] });
  expect(once('saturation', 1.7)).toEqual(plain);
  expect(once('hue', 0.3)).toEqual(plain);
  const values = Array.from(bytes, (byte) => byte / 255);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const normalized = (value: number) => Array(3).fill((Math.min(1, Math.max(0, value)) - 0.1) / 0.5);
  const brighter = values.flatMap((value) => normalized(1.5 * value));
  const flatter = values.flatMap((value) => normalized(0.3 * value + 0.7 * mean));
  expectClose(once('brightness', 1.5), brighter, tolerance);
  expectClose(once('contrast', 0.3), flatter, tolerance);
});

test('floats from 0 to 1 give the same result as the corresponding bytes', () => {
  fc.assert(
    fc.property(someImages, (images) => {
      const floats = tensorOf(images).to('float32').div(255);
      expectClose(augmented(images, floats), augmented(images), 1e-5);
    }),
    { numRuns: 30 },
  );
});

test('an image has the same bits alone, in a batch, and when repeated', () => {
  fc.assert(
    fc.property(someImages, (images) => {
      const together = augmented(images);
      const length = together.length / images.changes.length;
      const ofBytes = images.bytes.length / images.changes.length;
      images.changes.forEach((change, i) => {
        const bytes = images.bytes.slice(i * ofBytes, (i + 1) * ofBytes);
        const alone = augmented({ ...images, bytes, changes: [change] });
        expect(alone).toEqual(together.slice(i * length, (i + 1) * length));
      });
      expect(augmented(images)).toEqual(together);
    }),
    { numRuns: 30 },
  );
});

test('without changes, images are only normalized', () => {
  const bytes = tensor(Uint8Array.of(0, 51), { shape: [1, 1, 2, 1] });
  expectClose(
    augmentImages(bytes, undefined, grays).toFloat32Array(),
    [-0.2, 0.2, -0.2, 0.2, -0.2, 0.2],
    1e-6,
  );
});

test('an empty batch stays empty', () => {
  const none = tensor(new Uint8Array(0), { shape: [0, 4, 4, 3] });
  expect(augmentImages(none, new Float32Array(0), colors).shape).toEqual([0, 3, 4, 4]);
});

test('mismatched shapes are refused', () => {
  const bytes = tensor(new Uint8Array(12), { shape: [1, 2, 2, 3] });
  expect(() => augmentImages(bytes, undefined, { mean: [0, 0], std: [1] })).toThrow(/2 channels.* have 3/);
  expect(() => augmentImages(bytes.view([1, 2, 3, 2]), undefined, grays)).toThrow(
    /2 channels; expected 1 or 3/,
  );
  expect(() => augmentImages(arange(0, 12).view([2, 6]), undefined, grays)).toThrow(/shape/);
  expect(() => augmentImages(bytes, new Float32Array(8), colors)).toThrow(/25/);
  expect(() => augmentImages(bytes, undefined, colors, { width: 3, height: 2 })).toThrow(
    /without parameters/,
  );
});

/** The same images, each moved somehow and to another size. */
const movedImages = fc.record({
  images: someImages,
  size: fc.record({ width: fc.integer({ min: 1, max: 21 }), height: fc.integer({ min: 1, max: 11 }) }),
  angle: fc.double({ min: -180, max: 180, noNaN: true }),
  zoom: fc.double({ min: 0.5, max: 2, noNaN: true }),
  share: fc.double({ min: 0.3, max: 1, noNaN: true }),
  interpolation: fc.constantFrom('nearest' as const, 'bilinear' as const),
});
type MovedImages = typeof movedImages extends fc.Arbitrary<infer T> ? T : never;

function augmentedMoved(
  { images, size, angle, zoom, share, interpolation }: MovedImages,
  colored: boolean,
  device = 'cpu' as Device,
) {
  const { width, height, changes, channels } = images;
  const part: Box = { top: 0, left: 0, width: Math.ceil(width * share), height: Math.ceil(height * share) };
  const rows = changes.map(({ flip, color }) => {
    const map = positionMap({ part, angle, zoom, isMirrored: flip }, size);
    return { map, part, interpolation, colors: colored ? color : [] };
  });
  const bytes = tensorOf(images).to({ device });
  const normalization = colored ? (channels === 3 ? colors : grays) : { mean: [0], std: [1] };
  return augmentImages(bytes, encodeChanges(rows), normalization, size);
}

test('colors of a moved image change as if the move had been made before', () => {
  fc.assert(
    fc.property(movedImages, (moved) => {
      const { images, size } = moved;
      const { channels, changes } = images;
      const inPlace = augmentedMoved(moved, false).narrow(1, 0, channels).permute([0, 2, 3, 1]).contiguous();
      const part: Box = { top: 0, left: 0, ...size };
      const rows = changes.map(({ color }) => {
        return { map: positionMap({ part }, size), part, interpolation: 'nearest' as const, colors: color };
      });
      const normalization = channels === 3 ? colors : grays;
      const afterwards = augmentImages(inPlace, encodeChanges(rows), normalization).toFloat32Array();
      expectClose(augmentedMoved(moved, true).toFloat32Array(), afterwards, tolerance);
    }),
  );
});

describe.skipIf(!hasCuda())(`images on cuda${hasCuda() ? '' : ' (skipped: no CUDA device)'}`, () => {
  test("match the CPU's to 2e-5, with the same bits alone, in a batch, and when repeated", () => {
    fc.assert(
      fc.property(someImages, (images) => {
        const onGpu = augmented(images, tensorOf(images).to({ device: 'cuda' }));
        expectClose(onGpu, augmented(images), tolerance);
        expect(augmented(images, tensorOf(images).to({ device: 'cuda' }))).toEqual(onGpu);
        const first = tensorOf(images).narrow(0, 0, 1).to({ device: 'cuda' });
        const alone = augmented({ ...images, changes: images.changes.slice(0, 1) }, first);
        expect(alone).toEqual(onGpu.slice(0, alone.length));
      }),
    );
  });

  test("moved ones match the CPU's, but for positions halfway between pixels", () => {
    fc.assert(
      fc.property(movedImages, (moved) => {
        const cpu = augmentedMoved(moved, true).toFloat32Array();
        const gpu = augmentedMoved(moved, true, 'cuda').toFloat32Array();
        const apart = gpu.filter((value, i) => Math.abs(value - cpu[i]!) > 2e-3).length;
        expect(apart / cpu.length).toBeLessThan(0.2);
      }),
    );
  });

  test("of 224 pixels match the CPU's to 2e-5", () => {
    const [width, height, count] = [224, 224, 8];
    const bytes = Uint8Array.from({ length: width * height * 3 * count }, (_, i) => (i * i) % 251);
    const color = kinds.map((kind) => ({ kind, factor: kind === 'hue' ? 0.1 : 0.9 }));
    const changes = Array.from({ length: count }, (_, i) => ({
      flip: i % 2 === 0,
      color: [...color.slice(i % 4), ...color.slice(0, i % 4)],
    }));
    const images = { width, height, channels: 3, bytes, changes };
    expectClose(augmented(images, tensorOf(images).to({ device: 'cuda' })), augmented(images), tolerance);
  });
});

type Pixel = readonly [red: number, green: number, blue: number];

/** Applies the changes image by image and one at a time, as torchvision does. */
function reference({ width, height, channels, bytes, changes }: Images): number[] {
  const { mean, std } = channels === 3 ? colors : grays;
  return changes.flatMap(({ flip, color }, image) => {
    let pixels: readonly Pixel[] = Array.from({ length: width * height }, (_, at): Pixel => {
      const value = (c: number) => bytes[(image * width * height + at) * channels + (c % channels)]! / 255;
      return [value(0), value(1), value(2)];
    });
    for (const { kind, factor } of color) {
      pixels = channels === 3 ? changedPixels(pixels, kind, factor) : changedGrays(pixels, kind, factor);
    }
    return pixels.flatMap((_, at) => {
      const from = flip ? at - (at % width) + width - 1 - (at % width) : at;
      return pixels[from]!.map((value, c) => (value - mean[c % channels]!) / std[c % channels]!);
    });
  });
}

function changedPixels(pixels: readonly Pixel[], kind: ColorKind, factor: number): Pixel[] {
  const gray = ([red, green, blue]: Pixel) => 0.2989 * red + 0.587 * green + 0.114 * blue;
  const meanGray = pixels.reduce((sum, pixel) => sum + gray(pixel), 0) / pixels.length;
  const blend = (pixel: Pixel, other: number): Pixel => {
    const mixed = (value: number) => Math.min(1, Math.max(0, factor * value + (1 - factor) * other));
    return [mixed(pixel[0]), mixed(pixel[1]), mixed(pixel[2])];
  };
  return pixels.map((pixel) => {
    if (kind === 'hue') return withShiftedHue(pixel, factor);
    return blend(pixel, kind === 'brightness' ? 0 : kind === 'contrast' ? meanGray : gray(pixel));
  });
}

/**
 * As torchvision treats one channel: adjust_brightness and adjust_contrast change it,
 * saturation and hue do not.
 */
function changedGrays(pixels: readonly Pixel[], kind: ColorKind, factor: number): readonly Pixel[] {
  if (kind === 'saturation' || kind === 'hue') return pixels;
  const mean = pixels.reduce((sum, [gray]) => sum + gray, 0) / pixels.length;
  const other = kind === 'contrast' ? mean : 0;
  return pixels.map(([gray]) => {
    const mixed = Math.min(1, Math.max(0, factor * gray + (1 - factor) * other));
    return [mixed, mixed, mixed];
  });
}

/** Via HSV with the textbook's six cases: Smith, "Color gamut transform pairs" (SIGGRAPH 1978). */
function withShiftedHue([red, green, blue]: Pixel, turns: number): Pixel {
  const value = Math.max(red, green, blue);
  const chroma = value - Math.min(red, green, blue);
  if (chroma === 0) return [red, green, blue];
  const saturation = chroma / value;
  const sixth =
    value === red
      ? (green - blue) / chroma
      : value === green
        ? 2 + (blue - red) / chroma
        : 4 + (red - green) / chroma;
  const hue = (((sixth / 6 + turns) % 1) + 1) % 1;
  const rest = hue * 6 - Math.floor(hue * 6);
  const low = value * (1 - saturation);
  const falling = value * (1 - saturation * rest);
  const rising = value * (1 - saturation * (1 - rest));
  const cases: Pixel[] = [
    [value, rising, low],
    [falling, value, low],
    [low, value, rising],
    [low, falling, value],
    [rising, low, value],
    [value, low, falling],
  ];
  return cases[Math.floor(hue * 6) % 6]!;
}
