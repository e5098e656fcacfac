// A simulated log of a deployed model, with labels of what was drawn or alarmed; core's tests use it too.

import { type LogLine, NumpyRandom } from '@anyclass/core';

export interface SimulatedLog {
  readonly images: number;
  /** The share that is drawn, which may change from line to line. */
  readonly q: number | ((line: number) => number);
  /** The share of negatives that alarm. */
  readonly rate: number;
  readonly seed: number;
  /** The share of positives, half of which alarm. Default 0.2. */
  readonly positives?: number;
  /** The share of positives that are cleared, at most half. Lines then have outcomes: half of the negatives that do not alarm are cleared. */
  readonly cleared?: number;
  /** The share of drawn images, and of alarms, that are labeled. Default 1. */
  readonly labeledDrawn?: number;
  readonly labeledAlarms?: number;
  readonly prefix?: string;
}

export function simulatedLog({
  images,
  q: share,
  rate,
  seed,
  positives = 0.2,
  cleared,
  labeledDrawn = 1,
  labeledAlarms = 1,
  prefix = 'image',
}: SimulatedLog): { log: LogLine[]; labels: Map<string, boolean> } {
  const random = new NumpyRandom(seed);
  const labels = new Map<string, boolean>();
  const outcomeOf = (isAlarm: boolean, clearedOfQuiet: number) =>
    isAlarm ? 'alarm' : random.random() < clearedOfQuiet ? 'clear' : 'review';
  const log = Array.from({ length: images }, (_, k): LogLine => {
    const id = `${prefix} ${k}`;
    const q = typeof share === 'number' ? share : share(k);
    const isTrulyNegative = random.random() >= positives;
    const isAlarm = random.random() < (isTrulyNegative ? rate : 0.5);
    const drawn = random.random() < q;
    const outcome =
      cleared === undefined ? undefined : outcomeOf(isAlarm, isTrulyNegative ? 0.5 : 2 * cleared);
    const isLabeled = isAlarm ? random.random() < labeledAlarms : drawn && random.random() < labeledDrawn;
    if (isLabeled) labels.set(id, isTrulyNegative);
    return { id, isNegative: !isAlarm, ...(outcome && { outcome }), audit: { q, drawn } };
  });
  return { log, labels };
}
