// What a page about judged scores is made from.

import type { Scored } from '@anyclass/core';
import type { Judgment } from '../../events/judgment.js';
import { type Outcomes, outcomesOf } from './outcomes.js';
import type { OtherRun } from './previousRun.js';

export interface JudgedMaterial {
  readonly judged: Judgment;
  /** The scores that were judged, and the images they are of. */
  readonly scored: Scored;
  readonly names: readonly string[];
  /** The scores that the decision was fitted on, if they are at hand: the trade-off needs them. */
  readonly fitted?: Scored | undefined;
  readonly previous?: OtherRun | undefined;
  /** What a row is called. */
  readonly instance: 'image' | 'row';
}

/** The decision in use, and what it makes of each row: the model's own, or 0.5 where none was judged. */
export interface DecisionInUse {
  readonly isOwn: boolean;
  readonly metrics: Judgment['metrics'];
  readonly intervals: Judgment['intervals'];
  readonly thresholds: readonly (number | null)[];
  /** The gate's presence score; null lets nothing pass. */
  readonly presence: number | null;
  readonly outcomes: Outcomes;
}

export function decisionInUse({ judged, scored }: Pick<JudgedMaterial, 'judged' | 'scored'>): DecisionInUse {
  const { decided } = judged;
  const applied = decided ?? { rule: 'fixed', presence: 0, thresholds: scored.classNames.map(() => 0.5) };
  const { presence, thresholds } = applied;
  return {
    isOwn: decided !== undefined,
    metrics: decided?.metrics ?? judged.metrics,
    intervals: decided ? decided.intervals : judged.intervals,
    presence,
    thresholds,
    outcomes: outcomesOf(scored, applied),
  };
}
