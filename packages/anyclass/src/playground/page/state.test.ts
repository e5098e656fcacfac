import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromSlider, toSlider } from './controls.js';
import { type PaletteName, paletteNames, paletteOf } from './palettes.js';
import { contourCounts, initialState, numberFields, ranges, stateFromHash, stateToHash } from './state.js';

const label = fc.constantFrom(0 as const, 1 as const);
const within = (field: keyof typeof ranges) =>
  fc.double({ ...ranges[field], noNaN: true }).map((value) => (value === 0 ? 0 : value));
const anyState = fc.record({
  y1: label,
  y2: label,
  lambda: within('lambda'),
  alpha: within('alpha'),
  gamma: within('gamma'),
  p1: within('p1'),
  p2: within('p2'),
  palette: fc.constantFrom(...paletteNames),
  contours: fc.constantFrom(...contourCounts),
});

test('an address restores the state that it was made from', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      expect(stateFromHash(`#${stateToHash(state)}`)).toEqual(state);
    }),
  );
});

test('whatever the address contains, the state can be drawn', () => {
  const field = fc.tuple(
    fc.constantFrom('y', 'lambda', 'alpha', 'gamma', 'p', 'palette', 'contours'),
    fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.constantFrom('2', '11', '-1', 'NaN', 'Infinity', '1,2'),
    ),
  );
  fc.assert(
    fc.property(fc.array(field), (fields) => {
      const state = stateFromHash(
        fields.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&'),
      );
      for (const name of numberFields) {
        expect(state[name]).toBeGreaterThanOrEqual(ranges[name].min);
        expect(state[name]).toBeLessThanOrEqual(ranges[name].max);
      }
      expect(paletteNames).toContain(state.palette);
      expect(contourCounts).toContain(state.contours);
    }),
  );
});

test('without a state in the address, the page opens with the settings that the paper recommends', () => {
  expect(stateFromHash('')).toEqual(initialState);
  expect(initialState).toMatchObject({ lambda: 0.02, alpha: 1 });
});

test('the slider of λ reaches 0, 0.001 and 1, and stays where it was put', () => {
  expect([0, 1, 61].map((place) => fromSlider('lambda', place))).toEqual([0, 0.001, 1]);
  for (let place = 0; place <= 61; place++) {
    expect(toSlider('lambda', fromSlider('lambda', place))).toBe(place);
  }
  for (const lambda of [0.01, 0.02, 0.05, 0.2])
    expect(fromSlider('lambda', toSlider('lambda', lambda))).toBe(lambda);
});

test.each(paletteNames)('%s grows lighter from the lowest value to the highest', (name: PaletteName) => {
  const { pixels, color, ink } = paletteOf(name);
  const bytes = new Uint8Array(pixels.buffer);
  const lightness = Array.from({ length: 256 }, (_, n) => {
    const [red, green, blue] = bytes.subarray(4 * n, 4 * n + 3);
    return 0.2126 * red! ** 2.2 + 0.7152 * green! ** 2.2 + 0.0722 * blue! ** 2.2;
  });
  for (let n = 16; n < 256; n++) expect(lightness[n]).toBeGreaterThan(lightness[n - 16]!);
  expect(ink(0)).toBe('#fff');
  expect(ink(1)).toBe('#000');
  expect(color(0)).toBe(`rgb(${bytes.subarray(0, 3).join(',')})`);
});
