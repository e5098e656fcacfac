// What can be promised with the labels there are, before a model exists.

import {
  describeMoreLabels,
  moreLabels,
  type Promisable,
  percentNeeded,
  promisable,
  quietRank,
} from '@anyclass/core';
import type { Dataset } from '../data/dataset/dataset.js';
import { inflected } from '../errors/counted.js';

/** What the rows that decisions are fitted on can promise, with 95% confidence. */
export interface PromisableWith {
  /** The split that decisions are fitted on: the rows held back for them, or validation. */
  readonly split: 'decision' | 'validation';
  /** What counts: rows, or groups, of which each counts once. */
  readonly of: 'rows' | 'groups';
  /** About false alarms: negatives, or groups that have one. */
  readonly negatives: Promisable;
  /** About missed positives: positives, or groups that have one. */
  readonly positives: Promisable;
}

/**
 * Counts the negatives and positives that a promise would rest on.
 *
 * @example
 * promisableWith(dataset).negatives // { instances: 38, smallestRate: 0.0758…, rates: [{ rate: 0.05, needed: 59, more: 21 }, …] }
 */
export function promisableWith({
  splits,
  labels,
  groups,
}: Pick<Dataset, 'splits' | 'labels' | 'groups'>): PromisableWith {
  const split = splits.decision.length > 0 ? 'decision' : 'validation';
  const unitsOf = (kind: 'negative' | 'positive') => {
    const rows = splits[split].filter((row) => labels.presence(row) === kind);
    return groups ? new Set(Array.from(rows, (row) => groups.codes[row]!)).size : rows.length;
  };
  return {
    split,
    of: groups ? 'groups' : 'rows',
    negatives: promisable(unitsOf('negative')),
    positives: promisable(unitsOf('positive')),
  };
}

/**
 * Says what can be promised, and how many more labels smaller rates take.
 *
 * @example
 * promisableText(promisableWith(dataset))
 * // 'what can be promised, with 95% confidence: with 38 negatives in validation, at most 7.6% false alarms; 5% takes 21 more, …'
 */
export function promisableText(found: PromisableWith): string {
  const { split, of, negatives, positives } = found;
  const line = ({ instances, smallestRate, rates }: Promisable, kind: string, about: string) => {
    const noun =
      of === 'groups' ? `${inflected(instances, 'group')} with a ${kind}` : inflected(instances, kind);
    const units = `${instances.toLocaleString('en-US')} ${noun}`;
    const least =
      instances === 0 ? 'nothing can be promised' : `at most ${percentNeeded(smallestRate)} ${about}`;
    const lacking = rates.filter(({ more }) => more > 0);
    const more = lacking.map(
      ({ rate, more: count }) => `${count.toLocaleString('en-US')} more for ${100 * rate}%`,
    );
    return `  ${units} in ${split}: ${least}${more.length === 0 ? '' : `; it takes ${more.join(', ')}`}`;
  };
  const buys = ({ instances }: Promisable, kind: 'negatives' | 'positives') =>
    describeMoreLabels(moreLabels(instances, usualRate), of === 'groups' ? 'groups' : kind).map(
      (text) => `    ${text}`,
    );
  return [
    'what can be promised about new data, with 95% confidence',
    line(negatives, 'negative', 'false alarms'),
    ...buys(negatives, 'negatives'),
    line(positives, 'positive', 'missed'),
    ...buys(positives, 'positives'),
  ].join('\n');
}

/**
 * Says why no rows are held back for the decision while validation chooses nothing, and what choosing there would cost the gate.
 *
 * @example
 * candidatesText(promisableWith(dataset))
 * // 'the last weights are kept, so validation chooses nothing and no rows are held back for the decision; choosing among 8 runs there would let 15 of 560 negatives pass the gate instead of 19 …'
 */
export function candidatesText({ split, of, negatives: { instances } }: PromisableWith): string {
  const kept = 'the last weights are kept, so validation chooses nothing';
  if (split === 'decision') return `${kept}; the decision is fitted on rows of its own, whatever you compare`;
  const passing = (candidates: number) => {
    const rank = quietRank(instances, usualRate, 0.05 / candidates);
    return rank === null ? undefined : instances - rank;
  };
  const [alone, amongEight] = [passing(1), passing(8)];
  const none = `${kept}, and no rows are held back for the decision`;
  if (alone === undefined) return none;
  const units = of === 'groups' ? 'groups with a negative' : 'negatives';
  const cost =
    amongEight === undefined
      ? `choosing among 8 runs there would leave too few ${units} to promise 5%`
      : `choosing among 8 runs there would let ${amongEight} of ${instances.toLocaleString('en-US')} ${units} pass the gate instead of ${alone}, for 5% false alarms`;
  return `${none}; ${cost}. To search much (tune), hold rows back: data.draw.shares [0.6, 0.15, 0.15, 0.1]`;
}

/** The rate whose interval is told, since no model has measured one yet: the usual budget. */
const usualRate = 0.05;
