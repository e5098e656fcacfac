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
export type RunEventListener = (event: RunEvent) => void;

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
  /** Where several processes train together. */
  readonly distribution?: { readonly worldSize: number; readonly backend: string };
  readonly resumed?: { readonly checkpoint: string; readonly epoch: number; readonly step: number };
}

/** A step of training is done. */
export interface StepEvent {
  readonly type: 'step';
  /** The epoch in progress, from 1 on. */
  readonly epoch: number;
  readonly epochs: number;
  /** Steps of the epoch that are done, and how many it has. */
  readonly step: number;
  readonly steps: number;
  /** Images, or rows of a table, of the epoch that are done, and how many it has. */
  readonly images: number;
  readonly imagesPerEpoch: number;
  readonly unit: 'images' | 'rows';
  /** Mean over the epoch so far; null before the first loss was read. */
  readonly loss: number | null;
  /** The learning rate. */
  readonly rate: number;
  /** Since this process began the epoch; null before its first step. */
  readonly imagesPerSecond: number | null;
  /** What the rest of all epochs takes at this speed. */
  readonly secondsLeft: number | null;
  /** The part of the epoch's time that training waited for images. */
  readonly dataWaitShare: number;
}

/** How far a part of the work is: scoring a split, preparing a cache, downloading. Begins with `done` 0, ends with `done` equal to `total`. */
export interface ProgressEvent {
  readonly type: 'progress';
  /** What is being done, such as 'validation' or 'preparing photos'. */
  readonly task: string;
  readonly done: number;
  readonly total: number;
  readonly unit: 'images' | 'rows' | 'draws' | 'files' | 'bytes';
  /** What is being worked on, such as a file's name. */
  readonly remark?: string;
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
  /** Its name in the plan, such as 'any-bce-seed1' or 'trial 7'; '' where a worker of a study waits for trials of others. */
  readonly name: string;
  readonly state: ChildState;
  /** What the run itself reported; left out where only its state changed. */
  readonly event?: RunEvent;
  /** Why it failed. */
  readonly reason?: string;
  /** Of a study: the trial's number, and which worker of this process is at it, both from 0 on. */
  readonly trial?: number;
  readonly worker?: number;
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
