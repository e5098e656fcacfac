import { drawOfGroups, type Grouping, highestOfGroups } from '../labels/groups.js';
import { ROW_NEGATIVE, ROW_POSITIVE, ROW_UNDECIDED } from '../labels/instancePresence.js';
import type { CheckedScores } from '../metrics/scored.js';
import type { Instances, PromiseUnit } from './guarantee.js';

/** The instances that limits on false alarms and on missed positives count. */
export interface CountedInstances extends BothInstances {
  /**
   * Those of limits that are kept on these rows only: whole groups if limits are about groups and there are such groups, otherwise
   * every row.
   */
  readonly kept: BothInstances;
}

interface BothInstances {
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
  const instances = (kind: number, grouping: Grouping | undefined): Instances => {
    const isCounted = countedRows({ ...checked, grouping }, scores, unit, kind);
    const counted = descending.filter((row) => isCounted[row] === 1);
    const rows = kind === ROW_NEGATIVE ? counted.reverse() : counted;
    return {
      rows,
      scores: Float64Array.from(rows, (row) => scores[row]!),
      kind: kind === ROW_NEGATIVE ? 'negatives' : 'positives',
      ofGroups: grouping !== undefined,
    };
  };
  const { grouping } = checked;
  const kept = (kind: number, ofPromise: Instances) =>
    grouping === undefined || (unit === 'group' && ofPromise.rows.length > 0)
      ? ofPromise
      : instances(kind, undefined);
  const [negatives, positives] = [instances(ROW_NEGATIVE, grouping), instances(ROW_POSITIVE, grouping)];
  return {
    negatives,
    positives,
    kept: { negatives: kept(ROW_NEGATIVE, negatives), positives: kept(ROW_POSITIVE, positives) },
  };
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
