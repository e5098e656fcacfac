import type { Scored, SharedRows } from '@anyclass/core';

/** Labeled rows of a site, to fit a decision on. */
export interface RowsToFit {
  /** What the rows are called. */
  readonly name: string;
  readonly names: readonly string[];
  readonly scored: Scored;
  /** Rows that the model's run knows, if their contents were compared. */
  readonly shared?: SharedRows | undefined;
  /** Whether labels name the classes; otherwise they only say whether anything is present. */
  readonly hasClasses: boolean;
  /** Without classes: whether each row is negative; undefined if undecided. */
  readonly isNegative: readonly (boolean | undefined)[];
  readonly remarks: readonly string[];
  /** How many groups have images beside these rows; a limit for whole groups cannot rest on parts of them. */
  readonly partialGroups?: number;
}
