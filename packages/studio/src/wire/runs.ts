// What the server tells the page about runs.

/** `lost`: its process is gone without a word, for example after a power cut. */
export type RunState = 'starting' | 'running' | 'finished' | 'failed' | 'interrupted' | 'lost';

/** A value of a configuration's field. */
export type Setting = string | number | boolean | null;

/** A run in the list. */
export interface RunRow {
  /** Its path below the folders of Studio, with slashes. */
  readonly id: string;
  readonly isArchived: boolean;
  readonly state: RunState;
  /** In ISO 8601. */
  readonly started: string;
  readonly dataset: string;
  readonly network: string;
  /** What its data is made of: rows of features, or images. */
  readonly instance: 'image' | 'row';
  readonly loss: string;
  readonly seed: number;
  /** Runs with the same key differ in their seed alone. */
  readonly group: string;
  /** Epochs that are done, and how many are planned. */
  readonly epoch: number;
  readonly epochs: number;
  /** The share of the whole run that is done, from 0 to 1. */
  readonly progress: number;
  readonly secondsLeft: number | null;
  /** What it does now: 'validation, 40 of 600 images'. */
  readonly doing: string;
  /** Why it failed; empty if it did not, or if no reason is logged. */
  readonly message: string;
  /** The command that resumes it; empty if there is nothing to resume. */
  readonly resume: string;
  /** The metric that chose the best epoch. */
  readonly metric: string;
  /** That metric on validation by epoch, at most 60 points of it, and its best. */
  readonly curve: readonly (number | null)[];
  readonly best: number | null;
  /** Metrics on validation: at 0.5 in the best epoch; F1 and false alarms at the run's own decision, if it is finished. */
  readonly mAP: number | null;
  readonly macroF1: number | null;
  readonly decidedF1: number | null;
  readonly decidedFalseAlarms: number | null;
  /** The budget of its decision. */
  readonly budget: number | null;
  /** Fields of its configuration that differ among the runs, by name. */
  readonly settings: Readonly<Record<string, Setting>>;
}

export interface RunList {
  /** The folders of Studio. */
  readonly folders: readonly string[];
  readonly rows: readonly RunRow[];
  /** Names of the fields that differ among the runs. */
  readonly differing: readonly string[];
  /** Folders that could not be read, and why. */
  readonly problems: readonly string[];
}

/** What changed in the list. */
export interface RunChanges {
  readonly changed: readonly RunRow[];
  readonly removed: readonly string[];
  readonly differing: readonly string[];
}

/** Values by step; a step's place is its epoch, counted from 0, with the share of it that is done. */
export interface StepCurves {
  readonly at: readonly number[];
  readonly loss: readonly (number | null)[];
  readonly rate: readonly number[];
  readonly imagesPerSecond: readonly (number | null)[];
  readonly dataWaitShare: readonly number[];
  /** Memory of the process in bytes; null where it was not logged. */
  readonly memory: readonly (number | null)[];
  /** What it holds on its GPU, in bytes; null on the CPU. */
  readonly gpuMemory: readonly (number | null)[];
}

/** An epoch with its validation. */
export interface EpochPoint {
  readonly epoch: number;
  readonly trainingLoss: number;
  readonly validationLoss: number;
  readonly mAP: number | null;
  readonly macroF1: number;
  readonly f1Neg: number;
  readonly falseAlarmRate: number | null;
  readonly seconds: number;
  readonly imagesPerSecond: number;
}

/** A line of the log. */
export interface LogLine {
  readonly time: string;
  readonly kind: string;
  readonly text: string;
}

/** What a run logged since an offset of its log. */
export interface RunLog {
  /** Where to read on. */
  readonly offset: number;
  /** Whether the log was read from its beginning, because it was replaced. */
  readonly isWhole: boolean;
  readonly steps: StepCurves;
  readonly epochs: readonly EpochPoint[];
  readonly lines: readonly LogLine[];
}

/** A run with its configuration and results. */
export interface RunDetails {
  readonly row: RunRow;
  readonly folder: string;
  readonly configuration: readonly (readonly [field: string, value: Setting])[];
  readonly versions: Readonly<Record<string, string>>;
  readonly hasReport: boolean;
  readonly verdict: RunVerdict | null;
}

/** How a finished run stands on the rows that its decision was fitted on. */
export interface RunVerdict {
  readonly split: string;
  readonly bestEpoch: number;
  /** The epoch was chosen by this metric, or the last one was kept. */
  readonly chosenBy: string;
  readonly positives: number;
  readonly negatives: number;
  /** Positives that alarm, negatives that alarm, rows for review and positives that are cleared; null if unknown, or without triage. */
  readonly found: number | null;
  readonly falseAlarms: number;
  readonly review: number | null;
  readonly missed: number | null;
  /** What is promised, in sentences; or why nothing is. */
  readonly promises: readonly string[];
  readonly remarks: readonly string[];
}
