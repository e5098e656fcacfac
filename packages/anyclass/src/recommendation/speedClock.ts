// The speed of a run, measured from its steps while it trains.

import type { StepEvent } from '../events/runEvent.js';
import { type FullRun, type PilotSpeed, scoringCost } from './pilotSize.js';

export interface MeasuredSpeed extends Omit<PilotSpeed, 'sideBySide'> {
  /** The run, whose validation is as large as the time between two epochs is long, if that was seen. */
  readonly full: FullRun;
}

export interface SpeedClock {
  /** Notes a step; returns for how many seconds steps have been measured. */
  add(step: Pick<StepEvent, 'epoch' | 'images'>): number;
  speed(full: FullRun): MeasuredSpeed;
}

/** Seconds in which a run gets going: caches fill, a GPU's step is captured. */
const settling = 1;

/**
 * Measures from now on. The first second of steps does not count, unless there is no more.
 *
 * @example
 * const clock = speedClock();
 * await trainRun(configuration, { onEvent: (event) => event.type === 'step' && clock.add(event) });
 * clock.speed(full).imagesPerSecond // 240
 */
export function speedClock(now = () => performance.now() / 1000): SpeedClock {
  const created = now();
  let first: number | undefined;
  let before: { readonly time: number; readonly epoch: number; readonly images: number } | undefined;
  let settled = { images: 0, seconds: 0 };
  let all = settled;
  let between = { epochs: 0, seconds: 0 };
  return {
    add({ epoch, images }) {
      const time = now();
      first ??= time;
      if (before?.epoch === epoch) {
        const step = { images: images - before.images, seconds: time - before.time };
        all = sum(all, step);
        if (before.time - first >= settling) settled = sum(settled, step);
      } else if (before) {
        between = { epochs: between.epochs + 1, seconds: between.seconds + time - before.time };
      }
      before = { time, epoch, images };
      return time - first - settling;
    },
    speed(full) {
      const { images, seconds } = settled.images > 0 ? settled : all;
      const imagesPerSecond = images / Math.max(seconds, 1e-6);
      const pause = between.epochs > 0 ? between.seconds / between.epochs : 0;
      const validation = Math.max(full.validation, (pause * imagesPerSecond) / scoringCost);
      return {
        imagesPerSecond,
        overheadSeconds: (first ?? now()) - created,
        full: { ...full, validation },
      };
    },
  };
}

function sum(a: { images: number; seconds: number }, b: typeof a): typeof a {
  return { images: a.images + b.images, seconds: a.seconds + b.seconds };
}
