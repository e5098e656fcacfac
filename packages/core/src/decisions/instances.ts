import { drawOfGroups, highestOfGroups } from '../labels/groups.js';
import { ROW_NEGATIVE, ROW_POSITIVE, ROW_UNDECIDED } from '../labels/instancePresence.js';
import type { CheckedScores } from '../metrics/scored.js';
import type { Instances, PromiseUnit } from './guarantee.js';

/** The instances that promises about false alarms and about missed positives count. */
export interface CountedInstances {
  readonly negatives: Instances;
  readonly positives: Instances;
}

/**
 * Chooses the instances that promises rest on. Without groups, every row. With groups, which are independent while their rows
 * are not, one row each: drawn from its negatives, and from its positives. Per `group`, the row with the highest score: of
 * groups without a positive or undecided row, where any alarm is a false one, and of groups with a positive, which are
 * cleared only if all their rows are.
 *
 * @param descending the rows from the highest score down
 */
export function countedInstances(
  checked: CheckedScores,
  scores: Float64Array,
  descending: Uint32Array,
  unit: PromiseUnit,
): CountedInstances {
  const instances = (kind: number): Instances => {
    const isCounted = countedRows(checked, scores, unit, kind);
    const counted = descending.filter((row) => isCounted[row] === 1);
    const rows = kind === ROW_NEGATIVE ? counted.reverse() : counted;
    return {
      rows,
      scores: Float64Array.from(rows, (row) => scores[row]!),
      kind: kind === ROW_NEGATIVE ? 'negatives' : 'positives',
      ofGroups: checked.grouping !== undefined,
    };
  };
  return { negatives: instances(ROW_NEGATIVE), positives: instances(ROW_POSITIVE) };
}

/** Marks the rows that count. */
function countedRows(
  { rowKinds, grouping }: CheckedScores,
  scores: Float64Array,
  unit: PromiseUnit,
  kind: number,
): Uint8Array {
  if (grouping === undefined) return rowKinds.map((each) => Number(each === kind));
  const chosen =
    unit === 'image'
      ? drawOfGroups(grouping, scores, (row) => rowKinds[row] === kind)
      : highestOfGroups(grouping, scores, countedGroups(rowKinds, grouping.codes, kind));
  const isCounted = new Uint8Array(rowKinds.length);
  for (const row of chosen) isCounted[row] = 1;
  return isCounted;
}

function countedGroups(rowKinds: Uint8Array, codes: Int32Array, kind: number): (group: number) => boolean {
  const positive = new Set<number>();
  const undecided = new Set<number>();
  codes.forEach((group, row) => {
    if (rowKinds[row] === ROW_POSITIVE) positive.add(group);
    if (rowKinds[row] === ROW_UNDECIDED) undecided.add(group);
  });
  return (group) =>
    kind === ROW_POSITIVE ? positive.has(group) : !positive.has(group) && !undecided.has(group);
}
