import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Window } from '../../dataset/reading/window.js';
import { type Levels, percentileLevels, windowed } from './levels.js';

const row = (values: Levels['values'], more: Partial<Levels> = {}): Levels => ({
  width: values.length,
  height: 1,
  channels: 1,
  values,
  slope: 1,
  intercept: 0,
  ...more,
});
const shown = (levels: Levels, window: Window) => [...windowed(levels, window)];

describe('windows', () => {
  test('map levels in between to gray linearly, and others to black or white', () => {
    const levels = row(Uint16Array.of(0, 1000, 2048, 4095, 60_000));
    expect(shown(levels, [0, 4095])).toEqual([0, 62, 128, 255, 255]);
    expect(shown(levels, [1000, 2048])).toEqual([0, 0, 255, 255, 255]);
  });

  test('are given in levels, not in stored values', () => {
    const hounsfield = { slope: 2, intercept: -1024 };
    expect(shown(row(Int16Array.of(-500, 0, 512, 712), hounsfield), [0, 400])).toEqual([0, 0, 0, 255]);
    expect(shown(row(Int16Array.of(-500, 512, 612), hounsfield), [0, 400])).toEqual([0, 0, 128]);
  });

  test('auto ignores a single hot pixel in a large image, and uses the full range of a small one', () => {
    const values = Uint16Array.from({ length: 20_000 }, (_, i) => i % 4096);
    values[7] = 65_535;
    expect(windowed(row(values), 'auto')[4095]).toBeGreaterThan(250);
    expect(shown(row(Uint16Array.of(10, 20, 30)), 'auto')).toEqual([0, 128, 255]);
  });

  test("auto uses the file's own window, if any; other windows do not", () => {
    const ownWindow = (level: number) => (level > 15 ? 1 : 0);
    const levels = row(Uint16Array.of(10, 20, 30), { ownWindow });
    expect(shown(levels, 'auto')).toEqual([0, 255, 255]);
    expect(shown(levels, { percentiles: [0, 100] })).toEqual([0, 128, 255]);
  });

  test('inverted levels are shown from white to black', () => {
    expect(shown(row(Uint8Array.of(0, 255), { isInverted: true }), [0, 255])).toEqual([255, 0]);
  });

  test('an image of a single level is black, and so is NaN', () => {
    expect(shown(row(Uint16Array.of(7, 7)), 'auto')).toEqual([0, 0]);
    expect(shown(row(Float32Array.of(Number.NaN, 0.5, 1.5)), 'auto')).toEqual([0, 0, 255]);
  });
});

describe('percentiles', () => {
  const values = fc.oneof(
    fc.uint16Array({ minLength: 1, maxLength: 60 }),
    fc.int16Array({ minLength: 1, maxLength: 60 }),
    fc.uint8Array({ minLength: 1, maxLength: 60 }),
    fc.int32Array({ minLength: 1, maxLength: 60 }),
  );
  const slopes = fc.constantFrom(1, 2, -1, 0.5);

  test('match NumPy’s methods lower and higher, whatever the type and slope', () => {
    fc.assert(
      fc.property(values, slopes, fc.nat(100), fc.nat(100), (stored, slope, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const sorted = Array.from(stored, (value) => slope * value + 3).sort((x, y) => x - y);
        const rank = (percentile: number) => (percentile / 100) * (sorted.length - 1);
        expect(percentileLevels(row(stored, { slope, intercept: 3 }), [low, high])).toEqual([
          sorted[Math.floor(rank(low))],
          sorted[Math.ceil(rank(high))],
        ]);
      }),
    );
  });

  test('ignore padding, and are undefined for padding alone', () => {
    const levels = row(Int16Array.of(-2000, -2000, 5, 9), { padding: [-2000, -2000] });
    expect(percentileLevels(levels, [0, 100])).toEqual([5, 9]);
    expect(percentileLevels(row(Int16Array.of(3), { padding: [3, 3] }), [0, 100])).toBeUndefined();
  });
});
