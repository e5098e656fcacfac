// What the server tells the page about scores and decisions.

import type { Candidates, Decision, Metrics, OutcomeCounts } from '@anyclass/core';

/**
 * What stands before the bytes of a table of scores: JSON, whose length in bytes is the first 32-bit number, filled up with spaces to a
 * multiple of 8. Then follow the scores (float64), the presence scores (float64) if they were given apart, the group of each row (int32)
 * if there are groups, and the targets.
 */
export interface ScoresHeader {
  readonly rows: number;
  readonly classNames: readonly string[];
  readonly split: string;
  readonly hasPresence: boolean;
  /** `int8`: 0, 1, and -1 for unknown. `float64` if some labels are between 0 and 1; NaN for unknown. */
  readonly targets: 'int8' | 'float64';
  /** The names of the groups; null without groups. */
  readonly groups: readonly string[] | null;
  readonly classImportance: readonly number[] | null;
  /** The same for tables with the same rows in the same order. */
  readonly rowNames: string;
}

/** A decision of a run that is saved as a model file. */
export interface SavedDecision {
  /** Of the model file in the run's folder `decisions`; empty for the run's own model. */
  readonly name: string;
  readonly decision: Decision;
  /** When it was saved; null for the run's own. */
  readonly date: string | null;
  /** Whether it was saved after test metrics of this run were seen. */
  readonly isAfterTest: boolean;
}

/** What Decide starts from. */
export interface DecideSetup {
  /** The command that saves a decision, without its budget and output. */
  readonly command: string;
  /** The rows that a saved decision is fitted on: `decision` if the run held rows back for it, which the handles do not see. */
  readonly fittingSplit: 'decision' | 'validation';
  /** What the handles choose among; without held-back rows that cannot be counted. */
  readonly candidates: Candidates;
  /** The run's own decision first. */
  readonly saved: readonly SavedDecision[];
  readonly hasTest: boolean;
  /** When test metrics of this run were first seen here; null if never. */
  readonly testSeen: string | null;
}

export interface SaveDecision {
  readonly name: string;
  readonly falseAlarms: number;
  readonly missed: number | null;
}

/** A saved decision on test. */
export interface TestMetrics {
  readonly metrics: Metrics;
  readonly positives: OutcomeCounts;
  readonly negatives: OutcomeCounts;
  readonly seen: string;
  readonly isAfterTest: boolean;
}

/** Names of a few rows. */
export interface RowNames {
  readonly names: readonly string[];
}
