// Tracks the state of a child run from its events.

import type { ChildEvent, ChildState, RunEvent } from '../events/runEvent.js';

export interface ChildRow {
  readonly name: string;
  readonly state: ChildState;
  readonly progress: ChildProgress;
  /** When it last started running, in milliseconds, and how many epochs it had completed then. */
  readonly started: { readonly at: number; readonly epochs: number } | undefined;
  /** How long it ran until it stopped. */
  readonly seconds: number;
}

export interface ChildProgress {
  /** Completed epochs. */
  readonly epoch: number;
  readonly epochs: number;
  /** The completed fraction of the current epoch. */
  readonly within: number;
  readonly loss: number | null;
  /** On validation, after the last completed epoch; null if undefined. */
  readonly mAP: number | null;
  readonly imagesPerSecond: number | null;
}

export function firstRow(name: string, epochs: number): ChildRow {
  const progress = { epoch: 0, epochs, within: 0, loss: null, mAP: null, imagesPerSecond: null };
  return { name, state: 'waiting', progress, started: undefined, seconds: 0 };
}

/**
 * Returns the row after another event.
 *
 * @example
 * rowAfter(firstRow('bce-seed1', 10), { type: 'child', name: 'bce-seed1', state: 'running' }, 0).state // 'running'
 */
export function rowAfter(row: ChildRow, { state, event }: ChildEvent, now: number): ChildRow {
  const progress = event ? progressAfter(row.progress, event) : row.progress;
  if (state === row.state) return { ...row, progress };
  if (state === 'running') return { ...row, state, progress, started: { at: now, epochs: progress.epoch } };
  const seconds = row.started && row.state === 'running' ? (now - row.started.at) / 1000 : row.seconds;
  return { ...row, state, progress, seconds };
}

function progressAfter(progress: ChildProgress, event: RunEvent): ChildProgress {
  if (event.type === 'step') {
    const { epoch, epochs, step, steps, loss, imagesPerSecond } = event;
    return {
      ...progress,
      epoch: epoch - 1,
      epochs,
      within: step / steps,
      loss: loss ?? progress.loss,
      imagesPerSecond: imagesPerSecond ?? progress.imagesPerSecond,
    };
  }
  if (event.type !== 'validated') return progress;
  const { epoch, trainingLoss, validation, imagesPerSecond } = event.record;
  return { epoch, epochs: event.epochs, within: 0, loss: trainingLoss, mAP: validation.mAP, imagesPerSecond };
}
