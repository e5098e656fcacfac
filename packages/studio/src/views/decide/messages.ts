// What the page and the worker tell each other.

import type { Decision, DecisionReport, FitDecisionOptions } from '@anyclass/core';

/** A budget that handles stand at; `missed` is null if nothing is reviewed. */
export interface Budget {
  readonly falseAlarms: number;
  readonly missed: number | null;
}

/** How decisions are fitted, besides their budget. */
export interface FitSettings extends Pick<FitDecisionOptions, 'beta' | 'kappa' | 'candidates'> {
  readonly confidence: number | null;
  readonly per?: 'image' | 'group';
}

export type ToWorker =
  | { readonly kind: 'load'; readonly run: string; readonly bytes: ArrayBuffer }
  | {
      readonly kind: 'judge';
      readonly run: string;
      /** Counts up; older answers are dropped. */
      readonly turn: number;
      readonly budget: Budget;
      readonly settings: FitSettings;
      /** The saved decision that changes are counted from. */
      readonly saved: Decision;
      /** Whether the handles stand where it was saved: then it is judged itself. */
      readonly isSaved: boolean;
    }
  | {
      readonly kind: 'curve';
      readonly run: string;
      readonly turn: number;
      readonly missed: number | null;
      readonly settings: FitSettings;
      readonly budgets: readonly number[];
    };

export type FromWorker =
  | { readonly kind: 'loaded'; readonly run: string; readonly rows: LoadedRows }
  | { readonly kind: 'judged'; readonly run: string; readonly turn: number; readonly judged: Judged }
  | { readonly kind: 'point'; readonly run: string; readonly turn: number; readonly point: CurvePoint }
  | { readonly kind: 'problem'; readonly run: string; readonly message: string };

/** What does not change with the handles. */
export interface LoadedRows {
  readonly rows: number;
  readonly positives: number;
  readonly negatives: number;
  /** The range of the chart, in logits of presence. */
  readonly lowest: number;
  readonly highest: number;
}

/** Counts by outcome: clear, review, alarm. */
export type ByOutcome = readonly [clear: number, review: number, alarm: number];

export interface Judged {
  readonly budget: Budget;
  readonly isSaved: boolean;
  readonly macroF1: number;
  readonly positives: ByOutcome;
  readonly negatives: ByOutcome;
  readonly report: Pick<DecisionReport, 'guarantee' | 'triage' | 'remarks' | 'groups'>;
  /** Where the handles are, in logits of presence; null if the gate is closed, or nothing is cleared. */
  readonly alarmAt: number | null;
  readonly clearAt: number | null;
  readonly savedAlarmAt: number | null;
  readonly saved: { readonly macroF1: number; readonly positives: ByOutcome; readonly negatives: ByOutcome };
  /** Rows by bin: of positives, then of negatives, each clear, review, alarm. */
  readonly bins: Uint32Array;
  /** How many rows change sides, by what they are and between which outcomes. */
  readonly moves: readonly {
    readonly isPositive: boolean;
    readonly from: number;
    readonly to: number;
    readonly count: number;
  }[];
  readonly shown: readonly ShownRow[];
}

/** A row that changed sides, or is next to. */
export interface ShownRow {
  readonly row: number;
  readonly isPositive: boolean;
  readonly outcome: number;
  readonly isMoved: boolean;
  /** Probability of presence. */
  readonly presence: number;
  /** Its classes, or empty if it is negative. */
  readonly classes: readonly string[];
}

export interface CurvePoint {
  readonly budget: number;
  readonly macroF1: number;
  /** The share of positives that alarm, and of all rows that go to review. */
  readonly found: number;
  readonly review: number;
  /** Whether there are enough rows to promise this budget; without, nothing is drawn. */
  readonly isPromisable: boolean;
}

export const BINS = 66;
