// Where a model's decision comes from, if it was refitted after training, for example at another site.

import { createHash } from 'node:crypto';
import { type Decision, describePromises } from '@anyclass/core';

/** The data of a refit, and the decision that it replaced. Plain JSON; part of the model file. */
export interface DecisionOrigin {
  /** Name of the data, without its folders. */
  readonly data: string;
  /** In ISO 8601. */
  readonly date: string;
  readonly rows: number;
  readonly positives: number;
  readonly negatives: number;
  readonly undecided: number;
  /** Null without groups. */
  readonly groups: number | null;
  /** Identifies the rows: the SHA-256 of their sorted names. */
  readonly rowNames: string;
  /** Whether the thresholds were refitted too; if labels name no classes, only the gate is. */
  readonly hasNewThresholds: boolean;
  readonly replaces: ReplacedDecision;
}

/** A decision that is no longer in use. */
export interface ReplacedDecision
  extends Pick<Decision, 'rule' | 'budget' | 'presence' | 'clear' | 'thresholds' | 'fittedOn'> {
  /** What it promised, in words. */
  readonly promises: readonly string[];
  /** When it was fitted, if it was a refit too. */
  readonly date: string | null;
}

/** What remains of a decision that is replaced. */
export function replacedDecision(
  { rule, budget, presence, clear, thresholds, fittedOn, report }: Decision,
  origin: DecisionOrigin | undefined,
): ReplacedDecision {
  return {
    rule,
    budget,
    presence,
    clear,
    thresholds,
    fittedOn,
    promises: describePromises(report),
    date: origin?.date ?? null,
  };
}

/**
 * Says what a replaced decision promised, and what it rested on.
 *
 * @example
 * replacedPromises(origin.replaces) // 'at most 5% of negatives alarm, with 95% confidence (rests on 38 of 805 negatives), fitted on validation'
 */
export function replacedPromises({ promises, fittedOn }: ReplacedDecision): string {
  return `${promises.join('; ') || 'a decision without a promise'}, fitted on ${fittedOn ?? 'nothing'}`;
}

/** Identifies rows by their names, in any order. */
export function namesHash(names: readonly string[]): string {
  return createHash('sha256')
    .update([...names].sort().join('\n'))
    .digest('hex');
}
