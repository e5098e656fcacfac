import { ROW_POSITIVE, ROW_UNDECIDED } from '../labels/instancePresence.js';
import { countRanks } from './classCounts.js';
import { rankClasses } from './rankedClasses.js';
import { checkScored, presenceOf, type Scored, UNKNOWN } from './scored.js';

/**
 * Measures how well presence scores separate positives from negatives: the area under the ROC curve of 'any class', with
 * ties counted half. Undecided rows are left out; null without positives or without negatives.
 *
 * @example
 * const scores = new Float64Array([0.9, 0.2, 0.5, 0.5, 0.1, 0.1]);
 * presenceAuc({ scores, targets: [1, 0, 0, 0, 0, 1], classNames: ['crack', 'roots'] }) // 0.5
 */
export function presenceAuc(scored: Scored): number | null {
  const checked = checkScored(scored);
  const { rowKinds, rows } = checked;
  const labels = Int8Array.from(rowKinds, (kind) =>
    kind === ROW_UNDECIDED ? UNKNOWN : Number(kind === ROW_POSITIVE),
  );
  const ranked = rankClasses({
    scores: presenceOf(checked),
    labels,
    rowKinds,
    rows,
    classNames: ['any class'],
  });
  return countRanks(ranked.classes[0]!, new Uint16Array(rows).fill(1)).rocAuc;
}
