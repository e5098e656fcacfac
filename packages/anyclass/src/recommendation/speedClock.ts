// The speed of a run, measured from its events while it trains and validates.

import type { RunEvent } from '../events/runEvent.js';
import { type FullRun, type PilotSpeed, scoringCost } from './pilotSize.js';

export interface MeasuredSpeed extends Omit<PilotSpeed, 'sideBySide'> {
  /** The run, whose validation is as large as it takes long at a third of a training image's time, if that was seen. */
  readonly full: FullRun;
  /** What scoring an image costs, in training images. */
  readonly scoringCost: number;
}

export interface SpeedClock {
  /** Takes note of an event. */
  add(event: RunEvent): void;
  /** Seconds since the run got going, those of scoring in validation, and how many validations were seen to their end. */
  seen(): { readonly running: number; readonly scoring: number; readonly validations: number };
  speed(full: FullRun): MeasuredSpeed;
}

/** Seconds in which a run gets going: caches fill, a GPU's step is captured. */
const settling = 1;

interface Work {
  readonly images: number;
  readonly seconds: number;
}

/**
 * Measures from now on. The first second of steps does not count, unless there is no more.
 *
 * @example
 * const clock = speedClock();
 * await trainRun(configuration, { onEvent: clock.add });
 * clock.speed(full).imagesPerSecond // 240
 */
export function speedClock(now = () => performance.now() / 1000): SpeedClock {
  const created = now();
  const nothing: Work = { images: 0, seconds: 0 };
  let first: number | undefined;
  let step: { readonly time: number; readonly epoch: number; readonly images: number } | undefined;
  let batch: { readonly time: number; readonly done: number } | undefined;
  let all = nothing;
  let settled = nothing;
  let scored = nothing;
  let pauses = { count: 0, seconds: 0 };

  function addStep({ epoch, images }: { epoch: number; images: number }): void {
    const time = now();
    first ??= time;
    if (step?.epoch === epoch) {
      const work = { images: images - step.images, seconds: time - step.time };
      all = sum(all, work);
      if (step.time - first >= settling) settled = sum(settled, work);
    } else if (step) {
      pauses = { count: pauses.count + 1, seconds: pauses.seconds + time - step.time };
    }
    step = { time, epoch, images };
  }

  function addScored(done: number): void {
    const time = now();
    if (batch && done > batch.done)
      scored = sum(scored, { images: done - batch.done, seconds: time - batch.time });
    batch = { time, done };
  }

  return {
    add(event) {
      if (event.type === 'step') addStep(event);
      if (event.type === 'progress' && event.task === 'validation') addScored(event.done);
    },
    seen: () => ({
      running: first === undefined ? 0 : now() - first - settling,
      scoring: scored.seconds,
      validations: pauses.count,
    }),
    speed(full) {
      const { images, seconds } = settled.images > 0 ? settled : all;
      const imagesPerSecond = images / Math.max(seconds, 1e-6);
      const cost = scored.images > 0 ? (imagesPerSecond * scored.seconds) / scored.images : scoringCost;
      // Between epochs, a run also computes metrics and writes a checkpoint.
      const pause =
        pauses.count > 0 ? (pauses.seconds / pauses.count) * imagesPerSecond : full.validation * cost;
      return {
        imagesPerSecond,
        overheadSeconds: (first ?? now()) - created,
        full: { ...full, validation: pause / scoringCost },
        scoringCost: cost,
      };
    },
  };
}

function sum(a: Work, b: Work): Work {
  return { images: a.images + b.images, seconds: a.seconds + b.seconds };
}
