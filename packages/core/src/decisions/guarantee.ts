// What can be promised about new data from n independent instances of the data of the fit.

import type { Multiplicities } from '../metrics/classCounts.js';
import { instancesNeeded, quietRank, smallestPromise } from './binomialBounds.js';

/** What a promise counts. */
export type PromiseUnit = 'image' | 'group';

/**
 * How many candidates were compared on the rows of the fit before this decision was fitted there: epochs, runs, losses,
 * budgets. A promise divides its error probability among them. `adaptive` if that cannot be counted, as in a search that
 * chooses what to try next by its results: then nothing is promised.
 */
export type Candidates = number | 'adaptive';

/** Whether a rate on new data is bounded, whatever its distribution. A shift between the data of the fit and new data voids it. */
export type Guarantee = GivenGuarantee | NoGuarantee;

/** The rate on new data exceeds `rate` with a probability of at most 1 - `confidence`. */
export interface GivenGuarantee {
  readonly holds: true;
  /** What the rate is of: negatives that alarm, or positives that are cleared. */
  readonly about: 'false alarms' | 'missed positives';
  readonly rate: number;
  readonly confidence: number;
  readonly unit: PromiseUnit;
  /** How many groups with such an instance it rests on, each with the same weight; null without groups. */
  readonly groups: number | null;
  /** How many candidates were compared on these rows; the error probability is divided among them. */
  readonly candidates: number;
  /** What it rests on: `exceeding` of `of` instances are beyond the limit (alarmed negatives, or cleared positives). */
  readonly exceeding: number;
  readonly of: number;
}

export interface NoGuarantee {
  readonly holds: false;
  readonly reason: NoGuaranteeReason;
  /** With too few instances: how many there are, how many the rate needs, and the smallest rate that they can guarantee. */
  readonly of?: number;
  /** Whether these are groups. */
  readonly ofGroups?: boolean;
  readonly needed?: number;
  readonly smallestRate?: number;
}

/**
 * Why there is no guarantee: none was requested (an F1-Neg budget, or confidence null), the rule has no single score to
 * bound, there are too few instances for the rate, the decision was chosen on the rows of its fit by a search whose
 * candidates cannot be counted, or rows of its fit are among those that it is judged on.
 */
export type NoGuaranteeReason =
  | 'not requested'
  | 'rule has no bound'
  | 'too few negatives'
  | 'too few positives'
  | 'adaptive choice'
  | 'shared rows';

/** The instances that a promise counts, from those that are furthest from its limit to the nearest. */
export interface Instances {
  /** Their rows. */
  readonly rows: Uint32Array;
  /** Their scores, ascending for negatives and descending for positives. */
  readonly scores: Float64Array;
  readonly kind: 'negatives' | 'positives';
  /** Whether each stands for a group. */
  readonly ofGroups: boolean;
}

export interface Wanted {
  readonly rate: number;
  readonly confidence: number;
  readonly candidates: Candidates;
  readonly unit: PromiseUnit;
}

/** A guarantee, and the score that must be strictly exceeded (for positives: strictly undercut); null if there is none. */
export interface Limited {
  readonly score: number | null;
  readonly guarantee: Guarantee;
}

/** Returns the score that keeps a rate on new data, by the order statistic over the instances. */
export function guaranteedLimit(
  { rows, scores, kind, ofGroups }: Instances,
  multiplicities: Multiplicities,
  { rate, confidence, candidates, unit }: Wanted,
): Limited {
  let count = 0;
  for (const row of rows) count += multiplicities[row]!;
  const delta = (1 - confidence) / (candidates === 'adaptive' ? 1 : candidates);
  const rank = quietRank(count, rate, delta);
  if (rank === null) {
    const needed = rate > 0 && rate < 1 ? instancesNeeded(rate, delta) : undefined;
    return {
      score: null,
      guarantee: {
        holds: false,
        reason: `too few ${kind}`,
        of: count,
        ofGroups,
        ...(needed !== undefined && { needed }),
        smallestRate: smallestPromise(count, delta),
      },
    };
  }
  let seen = 0;
  let score = 0;
  let exceeding = 0;
  rows.forEach((row, k) => {
    const times = multiplicities[row]!;
    if (times === 0) return;
    if (seen < rank) score = scores[k]!;
    else if (scores[k] !== score) exceeding += times;
    seen += times;
  });
  const guarantee: Guarantee =
    candidates === 'adaptive'
      ? { holds: false, reason: 'adaptive choice', of: count, ofGroups }
      : {
          holds: true,
          about: kind === 'negatives' ? 'false alarms' : 'missed positives',
          rate,
          confidence,
          unit,
          groups: ofGroups ? count : null,
          candidates,
          exceeding,
          of: count,
        };
  return { score, guarantee };
}

/**
 * Returns the score that at most `rate` of these instances are strictly beyond (above for negatives, below for positives):
 * a limit that is kept on these rows and promises nothing; undefined without instances.
 */
export function keptLimit(
  { rows, scores }: Instances,
  multiplicities: Multiplicities,
  rate: number,
): number | undefined {
  let count = 0;
  for (const row of rows) count += multiplicities[row]!;
  let beyond = count;
  for (let k = 0; k < rows.length; k++) {
    const times = multiplicities[rows[k]!]!;
    beyond -= times;
    // The instances after this one are those beyond it, except for ties, which are not strictly beyond.
    if (times > 0 && beyond <= rate * count) return scores[k]!;
  }
  return undefined;
}
