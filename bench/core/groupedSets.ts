// Simulated validation sets with groups, where the share of all negatives above a score is known; core's tests use them too.

import type { NumpyRandom, Scored } from '@anyclass/core';

export interface GroupedSet {
  readonly groups: number;
  /** Groups have 1 to this many negatives. */
  readonly largest: number;
  /** Correlation of the scores within a group. */
  readonly correlation: number;
  /** Default 30. */
  readonly positives?: number;
}

/**
 * One class. The logit of every negative is normal, N(0, 1), and correlated within its group; positives, each in a group of
 * its own, are N(2, 1).
 */
export function groupedSet(random: NumpyRandom, set: GroupedSet): Scored & { readonly groups: string[] } {
  const { groups, largest, correlation, positives = 30 } = set;
  const logits: number[] = [];
  const names: string[] = [];
  for (let group = 0; group < groups; group++) {
    const shared = Math.sqrt(correlation) * normal(random);
    const size = 1 + random.integer(largest);
    for (let i = 0; i < size; i++) {
      logits.push(shared + Math.sqrt(1 - correlation) * normal(random));
      names.push(`negative ${group}`);
    }
  }
  const negatives = logits.length;
  for (let i = 0; i < positives; i++) {
    logits.push(2 + normal(random));
    names.push(`positive ${i}`);
  }
  return {
    scores: Float64Array.from(logits, (logit) => 1 / (1 + Math.exp(-logit))),
    targets: logits.map((_, row) => Number(row >= negatives)),
    classNames: ['crack'],
    split: 'validation',
    groups: names,
  };
}

/** Box and Muller. */
export function normal(random: NumpyRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.random())) * Math.cos(2 * Math.PI * random.random());
}

/** The share of N(0, 1) above a number, by Abramowitz and Stegun 7.1.26, to 1e-7. */
export function upperTail(value: number): number {
  const x = Math.abs(value) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = 0.5 * series * Math.exp(-x * x);
  return value >= 0 ? tail : 1 - tail;
}
