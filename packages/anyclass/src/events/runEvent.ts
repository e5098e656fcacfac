// What training, preparation, scoring, experiments and tuning report as they go. The terminal, events.jsonl in the run folder,
// a parent process and pages listen to the same stream: no program reads another program's human-readable output.

import type { EpochRecord } from './epochRecord.js';
import type { RunSummary } from './runSummary.js';

export type RunEvent =
  | StartedEvent
  | StepEvent
  | ProgressEvent
  | ValidatedEvent
  | SavedEvent
  | NoteEvent
  | InterruptedEvent
  | FinishedEvent
  | FailedEvent
  | ChildEvent;

/** Receives events in the order in which they happen. It must not throw: work does not depend on being watched. */
export type EventListener = (event: RunEvent) => void;

/** A run begins, or resumes from a checkpoint. */
export interface StartedEvent {
  readonly type: 'started';
  /** The run's folder. */
  readonly run: string;
  readonly dataset: string;
  readonly network: string;
  readonly loss: string;
  readonly device: string;
  readonly precision: string;
  readonly epochs: number;
  readonly resumed?: { readonly checkpoint: string; readonly epoch: number; readonly step: number };
}

/** A step of training is done. */
export interface StepEvent {
  readonly type: 'step';
  /** The epoch under way, from 1 on. */
  readonly epoch: number;
  readonly epochs: number;
  /** Steps of the epoch that are done, and how many it has. */
  readonly step: number;
  readonly steps: number;
  /** Images of the epoch that are done, and how many it has. */
  readonly images: number;
  readonly imagesPerEpoch: number;
  /** Mean over the epoch so far; null before the first loss was read. */
  readonly loss: number | null;
  readonly rate: number;
  /** Since this process began the epoch, and the seconds that the rest of all epochs takes at this rate. */
  readonly imagesPerSecond: number;
  readonly secondsLeft: number;
  /** The part of the epoch's time that training waited for images. */
  readonly dataWaitShare: number;
}

/** How far a part of the work is: scoring a split, preparing a cache. Ends with `done` equal to `total`. */
export interface ProgressEvent {
  readonly type: 'progress';
  /** What is being done, such as 'validation' or 'preparing photos'. */
  readonly task: string;
  readonly done: number;
  readonly total: number;
  readonly unit: 'images';
}

/** An epoch is trained and validated. */
export interface ValidatedEvent {
  readonly type: 'validated';
  readonly epochs: number;
  readonly record: EpochRecord;
}

/** A checkpoint is on the disk. */
export interface SavedEvent {
  readonly type: 'saved';
  readonly checkpoint: string;
}

/** Something worth a line. */
export interface NoteEvent {
  readonly type: 'note';
  readonly text: string;
}

/** A run ended before its time and can be resumed from a checkpoint. */
export interface InterruptedEvent {
  readonly type: 'interrupted';
  readonly run: string;
  readonly checkpoint: string | undefined;
}

export interface FinishedEvent {
  readonly type: 'finished';
  readonly run: string;
  readonly summary: RunSummary;
}

export interface FailedEvent {
  readonly type: 'failed';
  readonly run: string;
  readonly message: string;
  /** A `UserError`'s code, such as 'run-busy'. */
  readonly code?: string;
}

/** Something happened to one run of an experiment or to one trial of a study. */
export interface ChildEvent {
  readonly type: 'child';
  /** Its name in the plan, such as 'any-bce-seed-1' or 'trial 7'. */
  readonly name: string;
  readonly state: ChildState;
  /** What the run itself reported; left out where only its state changed. */
  readonly event?: RunEvent;
}

/** 'elsewhere': another process works on it. 'reused': it was finished before. 'stopped': early, by the study. */
export type ChildState =
  | 'waiting'
  | 'elsewhere'
  | 'running'
  | 'finished'
  | 'reused'
  | 'stopped'
  | 'failed'
  | 'interrupted';
