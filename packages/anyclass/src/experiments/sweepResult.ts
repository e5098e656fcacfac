// What a sweep finds, as plain JSON.

import type { Comparison, GroupMetrics, HeldDifference } from './comparisonResult.js';

/** One value of the field; null is the standard loss. */
export interface SweepPoint {
  readonly value: number | null;
  readonly metrics: GroupMetrics;
}

/** The result of a sweep, as plain JSON. */
export interface Sweep {
  /** The findings, in sentences. */
  readonly verdict: string;
  readonly field: string;
  readonly title: string;
  /** The standard loss first, if any, then the values in ascending order. */
  readonly points: readonly SweepPoint[];
  readonly recommendation: Recommendation;
  readonly comparison: Comparison;
}

export interface Recommendation {
  /**
   * Null recommends the standard loss, because no value beats it. Omitted if too many runs are missing to say
   * anything, or if no value differs from another.
   */
  readonly value?: number | null;
  readonly reason: string;
  /**
   * Whether the value's F1 differs from that of any other value: false if no difference can exceed 2 points, null if the runs
   * cannot tell; omitted if that was not tested.
   */
  readonly matters?: boolean | null;
  /** Differences from every other value. */
  readonly differences?: readonly ValueDifference[];
}

/** By how much the best value's F1 on validation exceeds that of another value; null is the standard loss. */
export interface ValueDifference {
  readonly value: number | null;
  readonly f1: HeldDifference;
}
