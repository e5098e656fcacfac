// Two models that saw the same images: by how much their rates of alarms differ, among negatives and among positives.

import type { RateInterval } from '../decisions/promisable.js';
import { FRACTIONS } from './bets.js';
import { GroupDraw } from './groupDraw.js';
import { type AuditLabels, checkLine, isAlarm, type LogLine } from './logLine.js';

/** A line of a log in which a second model answered too, such as one that runs in the shadow of the first. */
export interface PairedLine extends LogLine {
  readonly shadow: Pick<LogLine, 'isNegative' | 'outcome'>;
}

/** By how much the second model's share of alarms exceeds the first's, with an interval that holds at all times. */
export interface ShareDifference extends RateInterval {
  /** The share of alarms of each; null without labeled images of the kind. */
  readonly first: number | null;
  readonly second: number | null;
  readonly value: number | null;
  /** Labeled images that it rests on; next, drawn images without a label, which count against every claim. */
  readonly labeled: number;
  readonly unlabeled: number;
}

export interface PairedMonitoring {
  /** Among negatives; below 0 if the second model raises fewer false alarms. */
  readonly falseAlarms: ShareDifference;
  /** Among positives; above 0 if the second model finds more. */
  readonly found: ShareDifference;
}

/**
 * Compares two models on the images that were drawn to be labeled: a random sample, unlike the alarms of the first model, which
 * people label because they look at them. Both models are judged by the same labels, so what makes images hard for both
 * cancels out. The intervals hold at any time, however often one looks. Of a group, one line counts.
 *
 * @example
 * const { falseAlarms } = monitorPair(log, labels);
 * falseAlarms.high < 0 // the second model raises fewer false alarms, with 95% confidence
 */
export function monitorPair(
  log: Iterable<PairedLine>,
  labels: AuditLabels,
  { confidence = 0.95 }: { readonly confidence?: number } = {},
): PairedMonitoring {
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`confidence is ${confidence}; expected a number between 0 and 1`);
  }
  const [negatives, positives] = [new Differences(), new Differences()];
  const ids = new Set<string>();
  const counting = new GroupDraw<PairedLine>();
  let number = 0;
  for (const line of log) {
    number++;
    checkLine(line, number);
    if (ids.has(line.id)) continue;
    ids.add(line.id);
    // A group's line is chosen before the coin is looked at, so that groups with more images do not count more often.
    if (line.audit && (line.audit.drawn || line.group !== undefined)) counting.add(line, line);
  }
  for (const line of counting.items()) {
    if (!line.audit?.drawn) continue;
    const label = labels.get(line.id);
    const [first, second] = [isAlarm(line), isAlarm({ ...line.shadow, id: line.id })];
    for (const [kind, differences] of [
      [true, negatives],
      [false, positives],
    ] as const) {
      if (label === undefined) differences.addUnlabeled(first, second);
      else if (label === kind) differences.add(first, second);
    }
  }
  return { falseAlarms: negatives.result(confidence), found: positives.result(confidence) };
}

/** Counts how often only the first, only the second, both or neither alarmed. */
class Differences {
  #count = 0;
  #first = 0;
  #second = 0;
  /** How often the difference was -1, 0 and 1; next, the same for images without a label. */
  readonly #labeled = [0, 0, 0];
  readonly #unlabeled = [0, 0, 0];

  add(first: boolean, second: boolean): void {
    this.#count++;
    this.#first += Number(first);
    this.#second += Number(second);
    this.#labeled[1 + Number(second) - Number(first)]!++;
  }

  addUnlabeled(first: boolean, second: boolean): void {
    this.#unlabeled[1 + Number(second) - Number(first)]!++;
  }

  result(confidence: number): ShareDifference {
    const share = (count: number) => (this.#count === 0 ? null : count / this.#count);
    const delta = (1 - confidence) / 2;
    const [less, same, more] = this.#labeled as [number, number, number];
    const [lessUnlabeled, sameUnlabeled, moreUnlabeled] = this.#unlabeled as [number, number, number];
    return {
      first: share(this.#first),
      second: share(this.#second),
      value: share(this.#second - this.#first),
      // Each end is the mirror image of the other.
      low: lowerBound([less, same, more], [lessUnlabeled, sameUnlabeled, moreUnlabeled], delta),
      high: -lowerBound([more, same, less], [moreUnlabeled, sameUnlabeled, lessUnlabeled], delta),
      labeled: this.#count,
      unlabeled: lessUnlabeled + sameUnlabeled + moreUnlabeled,
    };
  }
}

type Counts = readonly [minusOne: number, zero: number, one: number];

/**
 * Returns the largest m for which 'the mean difference is at most m' is rejected, by betting on D - m with D of -1, 0 or 1; at
 * least -1. An unlabeled image is bet on only where that loses.
 */
function lowerBound(labeled: Counts, unlabeled: Counts, delta: number): number {
  const isRejected = (mean: number): boolean => {
    let capital = 0;
    for (const fraction of FRACTIONS) {
      const lambda = fraction / (1 + mean);
      let log = 0;
      [-1, 0, 1].forEach((difference, k) => {
        const gain = Math.log1p(lambda * (difference - mean));
        log += labeled[k]! * gain + (gain < 0 ? unlabeled[k]! * gain : 0);
      });
      capital += Math.exp(log) / FRACTIONS.length;
    }
    return capital >= 1 / delta;
  };
  let [low, high] = [-1, 1];
  // Capital falls with the mean; 20 halvings resolve two millionths.
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (isRejected(middle)) low = middle;
    else high = middle;
  }
  return low;
}
