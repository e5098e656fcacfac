// What Compare and its worker tell each other.

import type { Difference } from '@anyclass/core';

/** The scores of a run, as the server sent them; on test, those of validation too, where decisions are fitted. */
export interface ComparedRun {
  readonly id: string;
  readonly seed: number;
  readonly validation: ArrayBuffer;
  readonly test: ArrayBuffer | null;
}

export interface CompareQuestion {
  readonly turn: number;
  readonly first: readonly ComparedRun[];
  readonly second: readonly ComparedRun[];
  /** The same false-alarm budget for all. */
  readonly budget: number;
  readonly replicates: number;
  readonly seconds: number;
}

export type CompareAnswer =
  | { readonly turn: number; readonly compared: Compared }
  | { readonly turn: number; readonly problem: string };

/** A metric of both groups: shares from 0 to 1. */
export interface ComparedMetric extends Pick<Difference, 'first' | 'second' | 'value' | 'low' | 'high'> {
  readonly name: string;
  /** Whether more is better. */
  readonly isMoreBetter: boolean;
  /** The difference of each seed that both groups have. */
  readonly seeds: readonly number[];
}

export interface Compared {
  readonly rows: number;
  readonly replicates: number;
  readonly sharedSeeds: number;
  readonly metrics: readonly ComparedMetric[];
  /** F1 at the decision and AP of each class. */
  readonly classes: readonly {
    readonly name: string;
    readonly f1: ComparedMetric | null;
    readonly ap: ComparedMetric | null;
    readonly present: number;
  }[];
  readonly images: readonly ComparedImages[];
}

/** Rows on which the groups disagree most. */
export interface ComparedImages {
  readonly kind: 'newly missed' | 'newly found' | 'new false alarms' | 'false alarms gone';
  readonly count: number;
  readonly rows: readonly ComparedRow[];
}

export interface ComparedRow {
  readonly row: number;
  readonly classes: readonly string[];
  /** In how many of the group's runs the row alarms, as a share. */
  readonly first: number;
  readonly second: number;
}
