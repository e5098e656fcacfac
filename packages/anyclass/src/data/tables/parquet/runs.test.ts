import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRuns } from './runs.js';

type Run = { readonly repeated: number; readonly times: number } | { readonly packed: number[] };

/** A repeated value, or up to 24 packed values, which fill groups of eight except in the last run. */
const run = (width: number): fc.Arbitrary<Run> => {
  const value = fc.integer({ min: 0, max: 2 ** width - 1 });
  return fc.oneof(
    fc.tuple(value, fc.integer({ min: 1, max: 40 })).map(([repeated, times]) => ({ repeated, times })),
    fc
      .integer({ min: 1, max: 3 })
      .chain((groups) => fc.array(value, { minLength: 8 * groups, maxLength: 8 * groups }))
      .map((packed) => ({ packed })),
  );
};

const runs = fc
  .integer({ min: 1, max: 12 })
  .chain((width) => fc.tuple(fc.constant(width), fc.array(run(width), { minLength: 1, maxLength: 20 })));

function written(width: number, list: readonly Run[]) {
  return Uint8Array.from(
    list.flatMap((each) => {
      if ('repeated' in each) {
        return [2 * each.times, ...bytesOf(BigInt(each.repeated), Math.ceil(width / 8))];
      }
      const bits = each.packed.reduce((all, value, i) => all | (BigInt(value) << BigInt(i * width)), 0n);
      return [(each.packed.length / 8) * 2 + 1, ...bytesOf(bits, (each.packed.length / 8) * width)];
    }),
  );
}

function bytesOf(bits: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n));
}

test('the values, the largest, and the number of matches are found in any runs', () => {
  fc.assert(
    fc.property(runs, ([width, list]) => {
      const values = list.flatMap((each) =>
        'repeated' in each ? Array<number>(each.times).fill(each.repeated) : each.packed,
      );
      const match = values[0]!;
      const out = new Int32Array(values.length);
      expect(readRuns(written(width, list), { width, count: values.length, match, out })).toEqual({
        largest: Math.max(...values),
        matches: values.filter((value) => value === match).length,
      });
      expect([...out]).toEqual(values);
    }),
  );
});

test('a run that is too long, truncated packed bits, and values after the last are refused', () => {
  const of =
    (count: number, ...bytes: number[]) =>
    () =>
      readRuns(Uint8Array.from(bytes), { width: 1, count, match: 1 });
  expect(of(5, 10, 1)()).toEqual({ largest: 1, matches: 5 });
  expect(of(4, 10, 1)).toThrow('a run has 5 values, but 4 remain');
  expect(of(5, 3, 0b10110)()).toEqual({ largest: 1, matches: 3 });
  expect(of(5, 5, 0, 0)).toThrow('a run has 16 values, but 5 remain');
  expect(of(5, 3)).toThrow('a run has 8 values, but 5 remain');
  expect(of(5, 0xfe, 0xff, 0xff, 0xff, 0x0f, 1)).toThrow('a run has 2147483647 values');
  expect(of(5, 10, 1, 4, 1)).toThrow('a run has 2 values, but 0 remain');
  expect(of(5, 10, 1, 0, 0)()).toEqual({ largest: 1, matches: 5 });
  expect(of(5, 0x80)).toThrow('ends early');
});
