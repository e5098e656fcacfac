import * as fc from 'fast-check';
import { ByteWriter } from 'hyparquet-writer';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { expect, test } from 'vitest';
import { checkRuns } from './runs.js';

const values = fc.integer({ min: 0, max: 12 }).chain((width) =>
  fc.tuple(
    fc.constant(width),
    fc.array(fc.tuple(fc.integer({ min: 0, max: 2 ** width - 1 }), fc.integer({ min: 1, max: 40 })), {
      minLength: 1,
      maxLength: 20,
    }),
  ),
);

test('the largest value and the number of matches are found in any runs', () => {
  fc.assert(
    fc.property(values, ([width, repeated]) => {
      const list = repeated.flatMap(([value, times]) => Array<number>(times).fill(value));
      const writer = new ByteWriter();
      writeRleBitPackedHybrid(writer, list, width);
      const match = list[0]!;
      expect(checkRuns(writer.getBytes(), { width, count: list.length, match })).toEqual({
        largest: Math.max(...list),
        matches: list.filter((value) => value === match).length,
      });
    }),
  );
});

test('a run that is too long, truncated packed bits, and values after the last are refused', () => {
  const of =
    (count: number, ...bytes: number[]) =>
    () =>
      checkRuns(Uint8Array.from(bytes), { width: 1, count, match: 1 });
  expect(of(5, 10, 1)()).toEqual({ largest: 1, matches: 5 });
  expect(of(4, 10, 1)).toThrow('a run has 5 values, but 4 remain');
  expect(of(5, 3, 0b10110)()).toEqual({ largest: 1, matches: 3 });
  expect(of(5, 5, 0, 0)).toThrow('a run has 16 values, but 5 remain');
  expect(of(5, 3)).toThrow('a run has 8 values, but 5 remain');
  expect(of(5, 0xfe, 0xff, 0xff, 0xff, 0x0f, 1)).toThrow('a run has 2147483647 values');
  expect(of(5, 10, 1, 4, 1)).toThrow('a run has 2 values, but 0 remain');
  expect(of(5, 10, 1, 0, 0)()).toEqual({ largest: 1, matches: 5 });
  expect(of(5, 0x80)).toThrow('end early');
});
