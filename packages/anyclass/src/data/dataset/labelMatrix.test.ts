import { instancePresence } from '@anyclass/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LabelMatrix, labelMatrixBuilder, selectClasses } from './labelMatrix.js';

const target = fc.oneof(
  fc.constantFrom(0, 1, Number.NaN, 0.5),
  fc.double({ min: 0, max: 1, noNaN: true }),
  // Single precision rounds these up to 0.5 and down to 0.
  fc.constantFrom(0.5 - 1e-12, 1e-60),
);

interface Cell {
  readonly target: number;
  readonly isUncertain: boolean;
}

const table = (cell: fc.Arbitrary<number>) =>
  fc.tuple(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 12 })).chain(([classes, rows]) =>
    fc.array(
      fc.array(fc.record({ target: cell, isUncertain: fc.boolean() }), {
        minLength: classes,
        maxLength: classes,
      }),
      { minLength: rows, maxLength: rows },
    ),
  );

function matrixOf(rows: readonly (readonly Cell[])[]): LabelMatrix {
  const builder = labelMatrixBuilder(rows[0]!.length);
  for (const cells of rows) {
    builder.addRow();
    cells.forEach(({ target, isUncertain }, j) => {
      if (isUncertain) builder.setUncertain(j, target);
      else builder.set(j, target);
    });
  }
  return builder.finish();
}

const targetsOf = (labels: LabelMatrix) =>
  Array.from({ length: labels.rows }, (_, row) => {
    const out = new Float32Array(labels.classes + 2).fill(9);
    labels.copyRow(row, out, 1);
    expect([out[0], out.at(-1)]).toEqual([9, 9]);
    return [...out.subarray(1, -1)];
  });

test('targets of 0, 1, in between, and unknown are returned in single precision', () => {
  fc.assert(
    fc.property(table(target), (rows) => {
      const labels = matrixOf(rows);
      const expected = rows.map((cells) => cells.map((cell) => Math.fround(cell.target)));
      expect(targetsOf(labels)).toEqual(expected);
      rows.forEach((cells, row) => {
        expect(cells.map((_, j) => labels.at(row, j))).toEqual(expected[row]);
        expect(cells.map((_, j) => labels.isPresent(row, j))).toEqual(expected[row]!.map((y) => y >= 0.5));
        expect(cells.map((_, j) => labels.isUncertain(row, j))).toEqual(
          cells.map((cell) => cell.isUncertain),
        );
        expect(labels.isLabeled(row)).toBe(expected[row]!.some((y) => !Number.isNaN(y)));
        expect(labels.presence(row)).toBe(instancePresence(expected[row]!));
      });
      const all = expected.flat();
      expect(labels.hasUnknown).toBe(all.some(Number.isNaN));
      expect(labels.hasSoft).toBe(all.some((y) => y > 0 && y < 1));
      expect(labels.hasUncertain).toBe(rows.flat().some((cell) => cell.isUncertain));
    }),
    { numRuns: 50 },
  );
});

test('selected classes keep their targets and uncertainty, in the given order', () => {
  const chosen = table(target).chain((rows) =>
    fc.record({
      rows: fc.constant(rows),
      kept: fc.shuffledSubarray([...rows[0]!.keys()], { minLength: 1 }),
    }),
  );
  fc.assert(
    fc.property(chosen, ({ rows, kept }) => {
      const labels = selectClasses(matrixOf(rows), kept);
      const same = matrixOf(rows.map((cells) => kept.map((j) => cells[j]!)));
      expect(targetsOf(labels)).toEqual(targetsOf(same));
      rows.forEach((cells, row) => {
        expect(kept.map((_, j) => labels.isUncertain(row, j))).toEqual(
          kept.map((j) => cells[j]!.isUncertain),
        );
      });
    }),
    { numRuns: 50 },
  );
});

test('rows beyond the initial allocation keep every plane', () => {
  const cells = [1, 0.25, Number.NaN, 0].map((y, j) => ({ target: y, isUncertain: j === 1 }));
  const rows = Array.from({ length: 3000 }, (_, row) => [
    ...cells.slice(row % 4),
    ...cells.slice(0, row % 4),
  ]);
  const labels = matrixOf(rows);
  expect(targetsOf(labels)).toEqual(rows.map((row) => row.map((cell) => cell.target)));
  expect(rows.every((row, i) => row.every((cell, j) => labels.isUncertain(i, j) === cell.isUncertain))).toBe(
    true,
  );
});

describe('a target outside 0 to 1 is refused', () => {
  test.each([-1, 2, 255, Number.POSITIVE_INFINITY])('%d', (wrong) => {
    const builder = labelMatrixBuilder(1);
    builder.addRow();
    expect(() => builder.set(0, wrong)).toThrow(`target is ${wrong}; expected 0 to 1, or NaN`);
  });
});
