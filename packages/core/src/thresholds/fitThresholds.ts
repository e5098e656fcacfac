import { type FittedThresholds, fingerprintOf } from '../metrics/fittedThresholds.js';
import {
  ENDS_TIE,
  IS_PRESENT,
  type RankedClass,
  rankClasses,
  scoreOfEntry,
} from '../metrics/rankedClasses.js';
import { fBeta } from '../metrics/rates.js';
import { checkScored, type Scored } from '../metrics/scored.js';

/** What to maximize. */
export interface FitThresholdsOptions {
  /** Recall weighs β² times as much as precision. Default 1. */
  readonly beta?: number;
}

/**
 * Fits, for each class, the threshold that maximizes F_β on this data, searching all its distinct scores; among equals the
 * largest. The result records the split, and `measure` refuses to evaluate it there.
 *
 * A class that is never present gets its largest score (every choice gives F_β = 0), and a class without any known label
 * gets 0.5; both are listed in `undefinedClasses`.
 *
 * @example
 * const scores = new Float64Array([0.9, 0.8, 0.4, 0.3]);
 * const validation = { scores, targets: [1, 0, 1, 0], classNames: ['crack'], split: 'validation' };
 * fitThresholds(validation, { beta: 2 }).values // [0.4]
 */
export function fitThresholds(scored: Scored, options: FitThresholdsOptions = {}): FittedThresholds {
  const { beta = 1 } = options;
  const fittedOn = checkFit(scored, beta);
  const ranked = rankClasses(checkScored(scored));
  const best = ranked.classes.map((entries) => bestCut(entries, beta));
  return {
    values: best.map(({ last }, j) => (last < 0 ? 0.5 : scoreOfEntry(ranked, j, last))),
    classNames: [...scored.classNames],
    beta,
    reached: best.map(({ score }) => score),
    fittedOn,
    fingerprint: fingerprintOf(scored),
    undefinedClasses: scored.classNames.filter((_, j) => best[j]!.present === 0),
  };
}

/** Checks that the data has a name and β is valid, and returns the name. */
export function checkFit({ split }: Scored, beta: number): string {
  if (!(beta > 0 && beta < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`beta is ${beta}; expected a positive number`);
  }
  if (split === undefined) {
    throw new TypeError(
      'the data of the fit has no name; set its split, so that it is not evaluated there by mistake',
    );
  }
  return split;
}

/** Returns the last entry that should be predicted, and the resulting F_β. */
function bestCut(entries: RankedClass, beta: number): { last: number; score: number; present: number } {
  let present = 0;
  for (let k = 0; k < entries.length; k++) present += entries[k]! & IS_PRESENT;
  let last = -1;
  let score = -1;
  let truePositives = 0;
  for (let k = 0; k < entries.length; k++) {
    truePositives += entries[k]! & IS_PRESENT;
    if (!(entries[k]! & ENDS_TIE)) continue;
    const falsePositives = k + 1 - truePositives;
    const candidate = fBeta({ truePositives, falsePositives, falseNegatives: present - truePositives }, beta);
    if (candidate > score) {
      score = candidate;
      last = k;
    }
  }
  return { last, score: Math.max(score, 0), present };
}
