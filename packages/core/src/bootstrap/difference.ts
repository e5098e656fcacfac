import { type Interval, intervalOf } from './bootstrap.js';

/** By how much the second model's metric exceeds the first model's. */
export interface Difference extends Interval {
  readonly first: number;
  readonly second: number;
  /** Two-sided p-value: twice the smaller share of replicates at or beyond 0, at most 1. */
  readonly pValue: number;
}

/** Returns the difference in a metric, from its values overall and in each replicate; null if undefined. */
export function differenceOf(
  first: number | null,
  second: number | null,
  replicates: readonly (readonly [first: number | null, second: number | null])[],
  confidence: number,
): Difference | null {
  if (first === null || second === null) return null;
  const deltas = replicates.map(([one, two]) => (one === null || two === null ? null : two - one));
  const interval = intervalOf(second - first, deltas, confidence);
  return interval === null ? null : { ...interval, first, second, pValue: twoSided(deltas) };
}

function twoSided(deltas: readonly (number | null)[]): number {
  const defined = deltas.filter((delta) => delta !== null);
  const share = (keep: (delta: number) => boolean) => defined.filter(keep).length / defined.length;
  return Math.min(
    1,
    2 *
      Math.min(
        share((delta) => delta <= 0),
        share((delta) => delta >= 0),
      ),
  );
}
