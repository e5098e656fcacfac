// How a run stands, from the events that it logs, one after another: for a terminal, and for pages.

import type { ProgressEvent, StartedEvent, StepEvent, ValidatedEvent } from '../events/runEvent.js';
import type { LoggedEvent } from './eventLog.js';

/** How a run stands. A resumed run starts anew, except that its curves go on. */
export interface RunProgress {
  readonly state: 'starting' | 'running' | 'finished' | 'failed' | 'interrupted';
  readonly started?: StartedEvent;
  readonly step?: StepEvent;
  /** What it does now. */
  readonly latest?: StepEvent | ProgressEvent | ValidatedEvent;
  /** The last epoch that was validated since the start. */
  readonly validated: number;
  /** Time of all validations since the start, and how many there were. */
  readonly validationSeconds: number;
  readonly validations: number;
  /** When the validation in progress started, in milliseconds. */
  readonly validatingSince?: number;
  /** Why it failed. */
  readonly message?: string;
}

/** Before the first event. */
export const notStarted: RunProgress = {
  state: 'starting',
  validated: 0,
  validationSeconds: 0,
  validations: 0,
};

/**
 * Returns how a run stands after another event.
 *
 * @example
 * readEvents('runs/sewer/events.jsonl').reduce(afterEvent, notStarted).state // 'running'
 */
export function afterEvent(progress: RunProgress, event: LoggedEvent): RunProgress {
  switch (event.type) {
    case 'started':
      return { ...notStarted, started: event };
    case 'step':
      return { ...progress, state: 'running', step: event, latest: event };
    case 'progress': {
      const isStart = event.task === 'validation' && event.done === 0;
      return { ...progress, latest: event, ...(isStart && { validatingSince: Date.parse(event.time) }) };
    }
    case 'validated':
      return afterValidation(progress, event);
    case 'finished':
    case 'interrupted':
      return { ...progress, state: event.type };
    case 'failed':
      return { ...progress, state: 'failed', message: event.message };
    default:
      return progress;
  }
}

function afterValidation(
  progress: RunProgress,
  event: ValidatedEvent & { readonly time: string },
): RunProgress {
  const { validatingSince, ...rest } = progress;
  const after = { ...rest, latest: event, validated: event.record.epoch };
  if (validatingSince === undefined) return after;
  const seconds = (Date.parse(event.time) - validatingSince) / 1000;
  return {
    ...after,
    validationSeconds: rest.validationSeconds + seconds,
    validations: rest.validations + 1,
  };
}

/**
 * The time left for training, for the validations that remain, and for judging at the end, which scores validation and test
 * again and is taken to cost two validations; null if unknown.
 */
export function secondsLeft({
  state,
  step,
  validated,
  validationSeconds,
  validations,
}: RunProgress): number | null {
  if (state !== 'running' || !step || step.secondsLeft === null) return null;
  const mean = validations === 0 ? 0 : validationSeconds / validations;
  const remaining = step.epochs - step.epoch + (validated === step.epoch ? 0 : 1);
  return step.secondsLeft + (remaining + 2) * mean;
}

/**
 * What a run does now, in words; empty if it does nothing.
 *
 * @example
 * doingText(progress) // 'epoch 2 of 4, 1,500 of 3,000 images, loss 0.5000, 120 images a second'
 */
export function doingText({ state, step, latest }: RunProgress): string {
  if (state !== 'running') return '';
  const count = (value: number) => value.toLocaleString('en-US');
  if (latest?.type === 'progress')
    return `${latest.task}, ${count(latest.done)} of ${count(latest.total)} ${latest.unit}`;
  if (!step) return '';
  const { epoch, epochs, images, imagesPerEpoch, unit, loss, imagesPerSecond } = step;
  return [
    `epoch ${epoch} of ${epochs}`,
    `${count(images)} of ${count(imagesPerEpoch)} ${unit}`,
    ...(loss === null ? [] : [`loss ${loss.toFixed(4)}`]),
    ...(imagesPerSecond === null ? [] : [`${imagesPerSecond.toFixed(0)} ${unit} a second`]),
  ].join(', ');
}
