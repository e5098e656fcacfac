import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OUTCOMES } from '../metrics/outcomes.js';
import { NumpyRandom } from '../random/numpyRandom.js';
import { createGuard, fitGuard, guardedOutcome } from './guard.js';
import { pixelStatistics } from './pixelStatistics.js';

const [side, channels, width] = [16, 3, 24];

/** Photographs of mixed colors around a middle gray. */
function photos(
  count: number,
  seed: number,
  change: (value: number, channel: number) => number = (value) => value,
) {
  const random = new NumpyRandom(seed);
  return Array.from({ length: count }, () => {
    const level = 90 + 60 * random.random();
    return Uint8Array.from({ length: side * side * channels }, (_, i) =>
      Math.max(0, Math.min(255, change(level + 80 * (random.random() - 0.5), i % channels))),
    );
  });
}

/** Embeddings around a few directions, as those of classes are. */
function embeddings(count: number, seed: number, first = 0): Float32Array {
  const random = new NumpyRandom(seed);
  return Float32Array.from({ length: count * width }, (_, i) => {
    const row = Math.floor(i / width);
    return random.random() + (i % width === first + (row % 4) ? 6 : 0);
  });
}

const statistics = (images: readonly Uint8Array[]) => images.map((image) => pixelStatistics(image, channels));
const guard = fitGuard(
  {
    pixels: statistics(photos(1000, 1)),
    embeddings: { width, training: embeddings(800, 2), validation: embeddings(1000, 3) },
  },
  0.99,
);
const oddReason = createGuard(JSON.parse(JSON.stringify(guard)));

test('statistics are those of the definition', () => {
  expect(pixelStatistics(new Uint8Array([0, 0, 0, 255, 255, 255]), 3)).toEqual({
    brightness: 0.5,
    contrast: 0.5,
    overexposed: 0.5,
    color: 0,
  });
  expect(pixelStatistics(new Uint8Array([255, 0, 0]), 3).color).toBe(1);
  expect(pixelStatistics(new Uint8Array([255, 255]), 1)).toMatchObject({ color: null, contrast: 0 });
});

test('few usual images are odd, each bound by its quantile', () => {
  const fresh = statistics(photos(1000, 4));
  const vectors = embeddings(1000, 5);
  const odd = fresh.filter(
    (pixels, row) => oddReason(pixels, vectors.subarray(row * width, (row + 1) * width)) !== undefined,
  );
  // Seven bounds of 1% each, at most.
  expect(odd.length).toBeGreaterThan(0);
  expect(odd.length).toBeLessThan(100);
});

describe('each kind of odd image has its reason', () => {
  const usual = embeddings(1, 6);
  test.each([
    ['too dark', () => 0],
    ['too dark', (value: number) => 0.3 * value],
    ['overexposed', (value: number) => value + 140],
    ['almost one color', () => 120],
    ['more color than usual', (value: number, channel: number) => (channel === 0 ? 2 * value : 0.5 * value)],
  ] as const)('%s', (reason, change) => {
    const [image] = photos(1, 7, change);
    expect(oddReason(pixelStatistics(image!, channels), usual)).toBe(reason);
  });
  test('less color than usual', () => {
    const gray = grayOf(photos(1, 7)[0]!);
    expect(oddReason(pixelStatistics(gray, channels), usual)).toBe('less color than usual');
  });
  test('unlike the training images', () => {
    const [pixels] = statistics(photos(1, 8));
    expect(oddReason(pixels!, embeddings(1, 9))).toBeUndefined();
    expect(oddReason(pixels!, embeddings(1, 9, 12))).toBe('unlike the training images');
    // Without its embedding, an image is judged by its pixels alone.
    expect(oddReason(pixels!)).toBeUndefined();
  });
});

function grayOf(image: Uint8Array): Uint8Array {
  return image.map((_, i) => image[i - (i % channels)]!);
}

test('an alarm is never cleared, and nothing odd is', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...OUTCOMES),
      fc.constantFrom('too dark' as const, undefined),
      (outcome, odd) => {
        const guarded = guardedOutcome(outcome, odd);
        if (outcome === 'alarm') expect(guarded).toBe('alarm');
        if (odd !== undefined) expect(guarded).not.toBe('clear');
        if (odd === undefined) expect(guarded).toBe(outcome);
      },
    ),
  );
});

test('refuses a quantile that bounds nothing, and no images', () => {
  expect(() => fitGuard({ pixels: statistics(photos(2, 1)) }, 0.2)).toThrow(RangeError);
  expect(() => fitGuard({ pixels: [] }, 0.99)).toThrow(RangeError);
});

test('gray inputs have no bounds of color', () => {
  const gray = fitGuard({ pixels: [pixelStatistics(new Uint8Array([1, 200]), 1)] }, 1);
  expect(gray).toMatchObject({ color: null, training: null });
});
