import { falseAlarmUpperBound, instancesNeeded, smallestPromise } from './binomialBounds.js';

/** What is to be promised. */
export interface PromisableOptions {
  /** Default 0.95. */
  readonly confidence?: number;
  /** How many candidates will be compared on the same rows. Default 1. */
  readonly candidates?: number;
  /** The rates of interest. Default 5, 2 and 1%. */
  readonly rates?: readonly number[];
}

/** What can be promised with some instances, and what smaller rates would take. */
export interface Promisable {
  /** How many negatives there are, or positives for a limit on misses; with groups, how many groups have one. */
  readonly instances: number;
  /** The smallest rate that they can guarantee; 1 without any. */
  readonly smallestRate: number;
  readonly rates: readonly {
    readonly rate: number;
    /** How many instances it needs, and how many more than there are. */
    readonly needed: number;
    readonly more: number;
  }[];
}

/**
 * Says what can be promised with a number of negatives (or of positives, for missed ones), before a model exists.
 *
 * @example
 * promisable(120)
 * // { instances: 120, smallestRate: 0.0246…, rates: [
 * //   { rate: 0.05, needed: 59, more: 0 }, { rate: 0.02, needed: 149, more: 29 }, { rate: 0.01, needed: 299, more: 179 } ] }
 */
export function promisable(instances: number, options: PromisableOptions = {}): Promisable {
  const { rates = [0.05, 0.02, 0.01] } = options;
  checkInstances(instances);
  const delta = deltaOf(options);
  return {
    instances,
    smallestRate: smallestPromise(instances, delta),
    rates: rates.map((rate) => {
      const needed = instancesNeeded(rate, delta);
      return { rate, needed, more: Math.max(0, needed - instances) };
    }),
  };
}

/** What more labels would buy. */
export interface MoreLabels {
  readonly more: number;
  readonly instances: number;
  /** The rate that is expected. */
  readonly rate: number;
  /** The smallest rate that can then be guaranteed. */
  readonly smallestRate: number;
  /** The 95% interval of a rate of `rate` measured on so many (Clopper and Pearson). */
  readonly interval: RateInterval;
}

/** A range that holds a rate. */
export interface RateInterval {
  readonly low: number;
  readonly high: number;
}

/**
 * Says what 100, 300 and 1,000 more labeled negatives (or positives) would buy: the smallest rate that can be promised, and
 * the width of the interval around a rate that is measured.
 *
 * @param rate a rate that is expected, such as the budget
 *
 * @example
 * moreLabels(50, 0.05).map(({ more, smallestRate }) => [more, smallestRate])
 * // [[100, 0.0197…], [300, 0.0085…], [1000, 0.0028…]]
 */
export function moreLabels(
  instances: number,
  rate: number,
  options: Omit<PromisableOptions, 'rates'> & { readonly more?: readonly number[] } = {},
): MoreLabels[] {
  const { more = [100, 300, 1000] } = options;
  checkInstances(instances);
  const delta = deltaOf(options);
  return more.map((each) => {
    const total = instances + each;
    return {
      more: each,
      instances: total,
      rate,
      smallestRate: smallestPromise(total, delta),
      interval: rateInterval(Math.round(rate * total), total),
    };
  });
}

/**
 * Returns the two-sided Clopper-Pearson interval of a rate, from independent instances.
 *
 * @example
 * rateInterval(38, 805) // { low: 0.0336…, high: 0.0642… }
 */
export function rateInterval(count: number, of: number, confidence = 0.95): RateInterval {
  checkInstances(of);
  if (!(count >= 0 && count <= of)) throw new RangeError(`count is ${count}; expected 0 to ${of}`);
  if (of === 0) return { low: 0, high: 1 };
  const oneSided = (1 + confidence) / 2;
  return {
    low: 1 - falseAlarmUpperBound(of - count, of, oneSided),
    high: falseAlarmUpperBound(count, of, oneSided),
  };
}

function deltaOf({ confidence = 0.95, candidates = 1 }: PromisableOptions): number {
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`confidence is ${confidence}; expected a number between 0 and 1`);
  }
  if (!(Number.isInteger(candidates) && candidates >= 1)) {
    throw new RangeError(`candidates is ${candidates}; expected an integer of at least 1`);
  }
  return (1 - confidence) / candidates;
}

function checkInstances(instances: number): void {
  if (Number.isInteger(instances) && instances >= 0) return;
  throw new RangeError(`instances is ${instances}; expected an integer of at least 0`);
}
