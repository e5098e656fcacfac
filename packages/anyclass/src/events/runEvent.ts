// The events that training, preparation, scoring, experiments and tuning report. The terminal, events.jsonl
// in the run folder, a parent process and pages listen to the same stream: no program reads another program's
// human-readable output.

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

/** Receives events in order. It must not throw: work does not depend on being watched. */
export type RunEventListener = (event: RunEvent) => void;

/** A run starts, or resumes from a checkpoint. */
export interface StartedEvent {
  readonly type: 'started';
  /** The run folder. */
  readonly run: string;
  readonly dataset: string;
  readonly network: string;
  readonly loss: string;
  readonly device: string;
  readonly precision: string;
  readonly epochs: number;
  /** About how long the rest of the run takes: training, validation and judging. Omitted if only judging is left. */
  readonly expectedSeconds?: number;
  /** Present if several processes train together. */
  readonly distribution?: { readonly worldSize: number; readonly backend: string };
  readonly resumed?: { readonly checkpoint: string; readonly epoch: number; readonly step: number };
}

/** A step of training is done. */
export interface StepEvent {
  readonly type: 'step';
  /** The epoch in progress, counted from 1. */
  readonly epoch: number;
  readonly epochs: number;
  /** Completed steps of the epoch, and how many it has. */
  readonly step: number;
  readonly steps: number;
  /** Completed images (or table rows) of the epoch, and how many it has. */
  readonly images: number;
  readonly imagesPerEpoch: number;
  readonly unit: 'images' | 'rows';
  /** Mean over the epoch so far; null until the first loss is read. */
  readonly loss: number | null;
  /** The learning rate. */
  readonly rate: number;
  /** Average since this process started the epoch; null before its first step. */
  readonly imagesPerSecond: number | null;
  /** Time for the rest of all epochs at this speed. */
  readonly secondsLeft: number | null;
  /** Share of the epoch's time that training waited for images. */
  readonly dataWaitShare: number;
  /** Bytes that this process holds on its GPU, in use or cached; absent on the CPU. */
  readonly gpuMemory?: number;
}

/**
 * Progress of a task, such as scoring a split, preparing a cache or downloading. The first event has `done`
 * 0, the last has `done` equal to `total`.
 */
export interface ProgressEvent {
  readonly type: 'progress';
  /** Name of the task, such as 'validation' or 'preparing photos'. */
  readonly task: string;
  readonly done: number;
  readonly total: number;
  readonly unit: 'images' | 'rows' | 'draws' | 'files' | 'bytes';
  /** The current item, such as a file name. */
  readonly remark?: string;
}

/** An epoch was trained and validated. */
export interface ValidatedEvent {
  readonly type: 'validated';
  readonly epochs: number;
  readonly record: EpochRecord;
}

/** A checkpoint is on disk. */
export interface SavedEvent {
  readonly type: 'saved';
  readonly checkpoint: string;
}

/** A message worth a line of output. */
export interface NoteEvent {
  readonly type: 'note';
  readonly text: string;
}

/** A run stopped early and can be resumed from a checkpoint. */
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
  /** Its name in the plan, such as 'any-bce-seed1' or 'trial 7'; '' if a study's worker is idle. */
  readonly name: string;
  readonly state: ChildState;
  /** The event that the run itself reported; omitted if only its state changed. */
  readonly event?: RunEvent;
  /** Why it failed. */
  readonly reason?: string;
  /** In a study: the trial's number, and which worker of this process runs it; both count from 0. */
  readonly trial?: number;
  readonly worker?: number;
}

/** 'elsewhere': another process works on it. 'reused': already finished. 'stopped': early, by the study. */
export type ChildState =
  | 'waiting'
  | 'elsewhere'
  | 'running'
  | 'finished'
  | 'reused'
  | 'stopped'
  | 'failed'
  | 'interrupted';
