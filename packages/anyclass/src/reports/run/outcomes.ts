// What a decision makes of each image: found, missed, to review, a false alarm, or an alarm under another name.

import {
  applyDecision,
  type Decision,
  presenceOfRows,
  ROW_NEGATIVE,
  ROW_POSITIVE,
  type Scored,
} from '@anyclass/core';
import type { FoundCounts, TriageWork } from '@anyclass/kit';

/** The parts of a decision that outcomes depend on; `clear` is null or omitted without triage. */
export type AppliedDecision = Pick<Decision, 'rule' | 'presence' | 'thresholds'> &
  Partial<Pick<Decision, 'clear'>>;

/**
 * `other`: a positive that alarms without a right label; someone looks, but for the wrong thing. `review`: neither an alarm nor cleared.
 * `quiet`: a negative without an alarm.
 */
export type RowOutcome = 'found' | 'missed' | 'other' | 'review' | 'false-alarm' | 'quiet';

export interface Outcomes {
  /** The outcome of each row; undefined if an unknown label could change whether it is positive. */
  readonly ofRow: readonly (RowOutcome | undefined)[];
  /** 1 where a class is predicted. */
  readonly labels: Uint8Array;
  readonly presence: Float64Array;
  /** The number of rows with each outcome. */
  readonly counts: Readonly<Record<RowOutcome, number>>;
  readonly byClass: readonly FoundCounts[];
  /** Rows that are cleared, reviewed and alarmed; nothing is reviewed without triage. */
  readonly work: TriageWork;
}

/**
 * Applies a decision to scored rows. With a gate, a row alarms by its presence alone, and an alarm may have no label; without one, a
 * row alarms where a class is predicted.
 *
 * @example
 * const scored = { scores: new Float64Array([0.9, 0.2]), targets: [0, 1], classNames: ['crack'] };
 * outcomesOf(scored, { rule: 'class', presence: 0, thresholds: [0.5] }).counts // one false alarm, one missed
 */
export function outcomesOf(scored: Scored, applied: AppliedDecision): Outcomes {
  const { scores, targets, classNames } = scored;
  const classes = classNames.length;
  const { labels, presence, outcomes } = applyDecision(
    scores,
    {
      ...applied,
      clear: applied.clear ?? null,
      classNames,
      presenceFrom: scored.presence ? 'given' : 'scores',
      fittedOn: null,
      fingerprint: null,
    },
    { presence: scored.presence },
  );
  const hasTriage = applied.clear !== null && applied.clear !== undefined;
  const kinds = presenceOfRows(targets, classes);
  const counts: Record<RowOutcome, number> = {
    found: 0,
    missed: 0,
    other: 0,
    review: 0,
    'false-alarm': 0,
    quiet: 0,
  };
  const byClass = classNames.map((name) => ({ name, present: 0, found: 0, other: 0, review: 0 }));
  const work = {
    clear: { positive: 0, negative: 0 },
    review: { positive: 0, negative: 0 },
    alarm: { positive: 0, negative: 0 },
  };
  const ofRow = Array.from(kinds, (kind, row) => {
    const own = labels.subarray(row * classes, (row + 1) * classes);
    const outcome = outcomes[row]!;
    let hasTrue = false;
    byClass.forEach((counted, j) => {
      if (!(targets[row * classes + j]! >= 0.5)) return;
      counted.present++;
      if (own[j] === 1) {
        counted.found++;
        hasTrue = true;
      } else if (outcome === 'alarm') counted.other++;
      else if (outcome === 'review') counted.review++;
    });
    if (kind !== ROW_POSITIVE && kind !== ROW_NEGATIVE) return undefined;
    work[outcome][kind === ROW_POSITIVE ? 'positive' : 'negative']++;
    const named = outcomeOf(outcome, kind === ROW_POSITIVE, hasTrue);
    counts[named]++;
    return named;
  });
  const { clear, alarm } = work;
  return { ofRow, labels, presence, counts, byClass, work: hasTriage ? work : { clear, alarm } };
}

function outcomeOf(outcome: keyof TriageWork, isPositive: boolean, hasTrue: boolean): RowOutcome {
  if (outcome === 'review') return 'review';
  if (!isPositive) return outcome === 'alarm' ? 'false-alarm' : 'quiet';
  return outcome === 'clear' ? 'missed' : hasTrue ? 'found' : 'other';
}
