import type { FloatArray } from '../arrays/rowMajor.js';
import type { Key } from '../labels/distinctKeys.js';
import { groupingOf } from '../labels/groups.js';
import { checkPresenceSource, cutoffsOf, type DecisionCutoffs } from '../metrics/decisionCutoffs.js';
import { OUTCOMES, type Outcome, outcomeOf } from '../metrics/outcomes.js';
import { checkPresence, presenceScores } from '../metrics/presence.js';

/** A decision's predictions for each row. */
export interface Decided {
  /** 1 where a class is predicted: entry (row, class) is at row · classes + class. */
  readonly labels: Uint8Array;
  /** The presence score of each row; `presenceProbability` converts it to a probability. */
  readonly presence: Float64Array;
  /**
   * The outcome of each row. It follows presence alone: a row can alarm without a predicted class, and is then never clear.
   * Without a limit on missed positives, every row that does not alarm is clear, and nothing is promised about those.
   */
  readonly outcomes: readonly Outcome[];
}

/** What a decision is applied to, besides the scores. */
export interface ApplyDecisionOptions {
  /** The presence score of each row, for a decision that was fitted with given ones (see `Scored.presence`). */
  readonly presence?: Float64Array | undefined;
}

/**
 * Predicts labels and outcomes. Class j is predicted if the presence score is at least the decision's and p_j is at least
 * the class's threshold, compared in the precision of the scores. A row without a predicted class has no labels; its outcome
 * may still be an alarm.
 *
 * @example
 * const decision = fitDecision(validation, { budget: { falseAlarms: 0.05, missed: 0.02 } });
 * const { labels, outcomes } = applyDecision(new Float32Array([0.9, 0.1, 0.2, 0.1]), decision);
 * // labels 1 0 0 0, outcomes ['alarm', 'review']
 */
export function applyDecision(
  scores: FloatArray,
  decision: DecisionCutoffs,
  options: ApplyDecisionOptions = {},
): Decided {
  const classes = decision.classNames.length;
  checkPresenceSource(decision, options.presence !== undefined);
  const presence = options.presence ?? presenceScores(scores, classes);
  checkPresence(presence, scores.length / classes);
  const cutoffs = cutoffsOf(decision);
  const thresholds =
    scores instanceof Float32Array ? cutoffs.thresholds.map(Math.fround) : cutoffs.thresholds;
  const labels = new Uint8Array(scores.length);
  const outcomes: Outcome[] = [];
  for (let row = 0; row < presence.length; row++) {
    let isPredicted = false;
    if (presence[row]! >= cutoffs.presence) {
      for (let j = 0; j < classes; j++) {
        const i = row * classes + j;
        if (!(scores[i]! >= thresholds[j]!)) continue;
        labels[i] = 1;
        isPredicted = true;
      }
    }
    outcomes.push(outcomeOf(presence[row]!, isPredicted, cutoffs));
  }
  return { labels, presence, outcomes };
}

/** A decision's answer for a whole group, such as a patient or a pipe. */
export interface DecidedGroup {
  readonly group: Key;
  /** Its rows. */
  readonly rows: readonly number[];
  /** An alarm if any of its rows alarms, clear only if all of them are. */
  readonly outcome: Outcome;
  /** 1 where a class is predicted in any of its rows, one entry per class. */
  readonly labels: Uint8Array;
  /** The highest presence score of its rows. */
  readonly presence: number;
}

/**
 * Answers for whole groups, from the answers for their rows. What was promised about groups (`per: 'group'`) holds for these
 * outcomes.
 *
 * @example
 * const decided = applyDecision(scores, decision);
 * for (const { group, outcome } of decideGroups(decided, patients)) console.log(group, outcome);
 */
export function decideGroups(
  { labels, presence, outcomes }: Decided,
  groups: ArrayLike<Key>,
): DecidedGroup[] {
  const { names, codes } = groupingOf(groups, presence.length);
  const classes = presence.length === 0 ? 0 : labels.length / presence.length;
  const rowsOf: number[][] = names.map(() => []);
  codes.forEach((group, row) => {
    rowsOf[group]!.push(row);
  });
  return rowsOf.map((rows, group) => ({
    group: names[group]!,
    rows,
    outcome: OUTCOMES[Math.max(...rows.map((row) => OUTCOMES.indexOf(outcomes[row]!)))]!,
    labels: Uint8Array.from({ length: classes }, (_, j) =>
      Number(rows.some((row) => labels[row * classes + j] === 1)),
    ),
    presence: rows.reduce((highest, row) => Math.max(highest, presence[row]!), 0),
  }));
}
