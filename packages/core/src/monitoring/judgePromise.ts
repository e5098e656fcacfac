// What the events of a log say about one promise: on false alarms, or on positives that are cleared.

import { Bet, FRACTIONS, type Observation, Observations } from './bets.js';
import { outlookOf } from './outlook.js';
import type { LinePlace, PromiseEvent } from './promiseEvents.js';
import { boundAfter, RateBound } from './rateBounds.js';

/** Where a log stood after a line. */
export interface MonitorPoint {
  readonly line: number;
  readonly capital: number;
  readonly certificate: number;
  readonly low: number;
  readonly high: number;
}

/** What a log and its labels say about one promise. */
export interface PromiseJudgment {
  /** `broken`: the rate is above the promised one. `holds`: it is below. Each is wrong with a probability of at most 1 - confidence. */
  readonly verdict: 'holds' | 'broken' | 'undecided';
  /** The capital that was bet against the promise: starts at 1, and stays below `threshold` with the confidence while it holds. */
  readonly capital: number;
  /** The capital that was bet against the promise being broken. */
  readonly certificate: number;
  readonly threshold: number;
  /** The first line at which the capital reached the threshold. */
  readonly alert: LinePlace | null;
  /** The range of the rate; both ends hold at all times. Low above high means that the rate changed. */
  readonly rate: { readonly low: number; readonly high: number };
  /** A single estimate of the rate; null before any label of a kind that the promise is about. */
  readonly estimate: number | null;
  /** A change after a long quiet time: the sum of capitals started after each audit (Shiryaev and Roberts). */
  readonly change: {
    readonly statistic: number;
    readonly threshold: number;
    readonly alert: LinePlace | null;
  };
  /**
   * What the last 100, 300 and 1,000 alarms and drawn images up to the latest label say, where there are more. After a long good
   * past, a rate above the promise shows here long before it shows in the verdict, which is about all lines. A hint: whoever looks
   * often will see one that chance made.
   */
  readonly recent: readonly RecentRate[];
  /** About how many more audits a verdict takes, if things go on as they are; 0 with a verdict, null if that cannot be told. */
  readonly auditsToDecide: number | null;
  /** Capital, certificate and the range of the rate over time, at up to 1,000 lines. */
  readonly path: readonly MonitorPoint[];
}

/** The range of the rate since a line, by the lines from there on alone. */
export interface RecentRate extends LinePlace {
  /** How many alarms and drawn images these are. */
  readonly events: number;
  readonly rate: { readonly low: number; readonly high: number };
}

export interface PromiseSettings {
  /** The promised share. */
  readonly limit: number;
  readonly threshold: number;
  /** The steps of the rate's bounds from 0 to 1. */
  readonly steps: number;
  readonly auditsBetweenChanges: number;
  /** How many lines the events are from. */
  readonly images: number;
}

const MOST_POINTS = 1000;
const RECENT = [100, 300, 1000];

export function judgePromise(
  events: readonly PromiseEvent[],
  { limit, threshold, steps, auditsBetweenChanges, images }: PromiseSettings,
): PromiseJudgment {
  const accusing = new Bet('at most', limit);
  const certifying = new Bet('at least', limit);
  const [low, high] = [
    new RateBound('at most', steps, threshold),
    new RateBound('at least', steps, threshold),
  ];
  const changes = changeDetector(accusing, auditsBetweenChanges);
  const stride = Math.ceil(events.length / MOST_POINTS);
  const path: MonitorPoint[] = [];
  let alert: LinePlace | null = null;
  events.forEach((event, k) => {
    const [accusation, certification] = observationsOf(event);
    if (accusation) {
      accusing.add(accusation, event.q);
      low.add(accusation, event.q);
    }
    if (certification) {
      certifying.add(certification, event.q);
      high.add(certification, event.q);
    }
    changes.add(event, accusation);
    const capital = accusing.capital;
    const { line, id } = event;
    if (alert === null && capital >= threshold) alert = { line, id };
    if ((k + 1) % stride === 0 || k === events.length - 1) {
      path.push({ line, capital, certificate: certifying.capital, low: low.value, high: high.value });
    }
  });
  const rate = { low: low.value, high: high.value };
  const verdict = rate.low > limit ? 'broken' : rate.high < limit ? 'holds' : 'undecided';
  return {
    verdict,
    capital: accusing.capital,
    certificate: certifying.capital,
    threshold,
    alert,
    rate,
    ...outlookOf({ events, images, verdict, accusing, certifying, threshold }),
    change: changes.result(),
    recent: recentRates(events, steps, threshold),
    path,
  };
}

/** Ends at the latest label, since labels come late; those that are missing before it count against every claim, as ever. */
function recentRates(events: readonly PromiseEvent[], steps: number, threshold: number): RecentRate[] {
  const end = events.findLastIndex(({ isConcerned }) => isConcerned !== undefined) + 1;
  return RECENT.filter((count) => count < end).map((count) => {
    const last = events.slice(end - count, end);
    const { line, id } = last[0]!;
    const [accusations, certifications] = [new Observations(), new Observations()];
    for (const event of last) {
      const [accusation, certification] = observationsOf(event);
      if (accusation) accusations.add(accusation, event.q);
      if (certification) certifications.add(certification, event.q);
    }
    const low = boundAfter(accusations, 'at most', steps, threshold);
    const high = boundAfter(certifications, 'at least', steps, threshold);
    return { line, id, events: count, rate: { low, high } };
  });
}

/**
 * What an event says against the promise, and what it says for it. A missing label counts against the claim. Where false alarms
 * are promised: an unlabeled alarm accuses nobody, but is a false alarm for the certificate; an unlabeled drawn image is
 * negative for the accusation, and nothing for the certificate. Where missed positives are: an unlabeled cleared image accuses
 * nobody, but is a missed positive for the certificate; any other is a positive for the accusation.
 */
function observationsOf({
  isConcerned,
  isAgainst,
}: PromiseEvent): [accusation: Observation | undefined, certification: Observation | undefined] {
  if (isConcerned === false) return [undefined, undefined];
  if (isAgainst) return [isConcerned ? 'against' : undefined, 'against'];
  return ['other', isConcerned ? 'other' : undefined];
}

/** Sums the capitals that start before each audit; while the promise holds, the sum grows by at most 1 an audit. */
function changeDetector(bet: Bet, threshold: number) {
  const sums = new Float64Array(FRACTIONS.length);
  let statistic = 0;
  let alert: LinePlace | null = null;
  return {
    add({ line, id, q }: PromiseEvent, observation: Observation | undefined): void {
      const factors = observation && bet.gainsOf(q)[observation].factors;
      statistic = 0;
      for (let k = 0; k < sums.length; k++) {
        sums[k] = (sums[k]! + 1) * (factors ? factors[k]! : 1);
        statistic += sums[k]! / sums.length;
      }
      if (alert === null && statistic >= threshold) alert = { line, id };
    },
    result: () => ({ statistic: Math.min(statistic, Number.MAX_VALUE), threshold, alert }),
  };
}
