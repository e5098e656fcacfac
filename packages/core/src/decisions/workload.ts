import { presenceOfRows, ROW_NEGATIVE, ROW_POSITIVE } from '../labels/instancePresence.js';
import { countRows } from '../metrics/measure.js';
import { type MeasureOptions, prepareRowStates } from '../metrics/measurement.js';
import type { OutcomeCounts } from '../metrics/outcomes.js';
import type { Scored } from '../metrics/scored.js';
import type { CrossFitted } from './crossFit.js';

/** How many rows of each kind have each outcome. */
export interface CountedOutcomes {
  /** All rows, undecided ones included. */
  readonly rows: OutcomeCounts;
  readonly positives: OutcomeCounts;
  readonly negatives: OutcomeCounts;
}

/**
 * Counts the outcomes that a decision gives to labeled rows, or those that cross-fitting gave them.
 *
 * @example
 * countOutcomes(test, { threshold: decision }).positives // { clear: 12, review: 210, alarm: 78 }
 * countOutcomes(crossFit(validation, { folds, budget })).rows
 */
export function countOutcomes(
  scored: Scored | CrossFitted,
  options: Pick<MeasureOptions, 'threshold' | 'allowSameSplit'> = {},
): CountedOutcomes {
  if ('outcomes' in scored) return countGiven(scored);
  const stated = prepareRowStates(scored, options);
  const once = new Uint16Array(stated.ranked.rows).fill(1);
  const { positives, negatives, undecided } = countRows(stated, once).outcomes;
  const all = (outcome: keyof OutcomeCounts) => positives[outcome] + negatives[outcome] + undecided[outcome];
  return { rows: { clear: all('clear'), review: all('review'), alarm: all('alarm') }, positives, negatives };
}

function countGiven({ outcomes, targets, classNames }: CrossFitted): CountedOutcomes {
  const kinds = presenceOfRows(targets, classNames.length);
  const count = (has: (kind: number) => boolean): OutcomeCounts => {
    const counts = { clear: 0, review: 0, alarm: 0 };
    outcomes.forEach((outcome, row) => {
      if (has(kinds[row]!)) counts[outcome]++;
    });
    return counts;
  };
  return {
    rows: count(() => true),
    positives: count((kind) => kind === ROW_POSITIVE),
    negatives: count((kind) => kind === ROW_NEGATIVE),
  };
}

/** For how many rows, and which share of positives among them. */
export interface WorkloadOptions {
  /** Default 1000. */
  readonly per?: number;
  /** The share of positives where the decision will be used. Default: as in the counted rows. */
  readonly prevalence?: number;
}

/**
 * Returns the work that a decision makes: how many of every 1,000 rows are cleared, reviewed and alarmed. Outcomes depend on
 * the row being positive or negative, and on prevalence only through the mixture of both; so the shares measured here also
 * tell the work at another prevalence.
 *
 * @example
 * const counted = countOutcomes(test, { threshold: decision });
 * workload(counted) // { clear: 196, review: 683, alarm: 121 }
 * workload(counted, { prevalence: 0.02 }) // where only 2% are positive
 */
export function workload(counted: CountedOutcomes, options: WorkloadOptions = {}): OutcomeCounts {
  const { per = 1000, prevalence } = options;
  if (prevalence === undefined) return scaled(counted.rows, per / totalOf(counted.rows));
  if (!(prevalence >= 0 && prevalence <= 1)) {
    throw new RangeError(`prevalence is ${prevalence}; expected a share from 0 to 1`);
  }
  const [positives, negatives] = [totalOf(counted.positives), totalOf(counted.negatives)];
  if ((prevalence > 0 && positives === 0) || (prevalence < 1 && negatives === 0)) {
    const lacking = prevalence > 0 && positives === 0 ? 'positive' : 'negative';
    throw new RangeError(
      `prevalence is ${prevalence}, but none of the counted rows are ${lacking}, so the work of ${lacking}s is unknown; add ${lacking}s, or leave prevalence out`,
    );
  }
  const ofPositives = scaled(counted.positives, positives === 0 ? 0 : (per * prevalence) / positives);
  const ofNegatives = scaled(counted.negatives, negatives === 0 ? 0 : (per * (1 - prevalence)) / negatives);
  return {
    clear: ofPositives.clear + ofNegatives.clear,
    review: ofPositives.review + ofNegatives.review,
    alarm: ofPositives.alarm + ofNegatives.alarm,
  };
}

function totalOf({ clear, review, alarm }: OutcomeCounts): number {
  return clear + review + alarm;
}

function scaled({ clear, review, alarm }: OutcomeCounts, factor: number): OutcomeCounts {
  return { clear: clear * factor, review: review * factor, alarm: alarm * factor };
}
