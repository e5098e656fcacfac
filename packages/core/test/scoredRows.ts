import fc from 'fast-check';
import type { Scored } from '../src/metrics/scored.js';

export interface ScoredRows extends Scored {
  readonly scores: Float64Array;
  readonly targets: number[];
}

/** Up to 30 rows of up to 4 classes; scores are on a coarse grid, so that ties occur. */
export function scoredRows(label: fc.Arbitrary<number> = fc.constantFrom(0, 0, 1)): fc.Arbitrary<ScoredRows> {
  return fc
    .record({ rows: fc.integer({ min: 1, max: 30 }), classes: fc.integer({ min: 1, max: 4 }) })
    .chain(({ rows, classes }) => {
      const entries = { minLength: rows * classes, maxLength: rows * classes };
      return fc.record({
        scores: fc
          .array(fc.integer({ min: 0, max: 12 }), entries)
          .map((steps) => Float64Array.from(steps, (step) => step / 12)),
        targets: fc.array(label, entries),
        classNames: fc.constant(Array.from({ length: classes }, (_, j) => `class ${j}`)),
      });
    });
}

/** 0, 1, or NaN for unknown. */
export const labelOrUnknown = fc.constantFrom(0, 0, 0, 1, 1, Number.NaN);

/** Returns one class's scores and labels, without unknown ones. */
export function columnOf({ scores, targets, classNames }: ScoredRows, j: number) {
  const known = Array.from(scores, (score, i) => ({ score, label: targets[i]!, i })).filter(
    ({ label, i }) => i % classNames.length === j && !Number.isNaN(label),
  );
  return { scores: known.map(({ score }) => score), labels: known.map(({ label }) => label) };
}
