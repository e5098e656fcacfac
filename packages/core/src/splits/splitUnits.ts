import { PRESENT_FROM, presenceOfRows, ROW_NEGATIVE, ROW_UNDECIDED } from '../labels/instancePresence.js';
import { distinctKeys, type Key } from './distinctKeys.js';

/** What a split deals out: single rows, or groups of them. */
export interface SplitUnits {
  readonly count: number;
  readonly rows: number;
  /** Negative rows in all. */
  readonly negatives: number;
  /** Rows in each stratum: the classes, and one more for undecided rows. */
  readonly totals: readonly number[];
  unitOfRow(row: number): number;
  /** Rows in a unit. */
  size(unit: number): number;
  negativesOf(unit: number): number;
  /** Rows of a unit in a stratum. */
  labelsOf(unit: number, stratum: number): number;
}

/**
 * @example
 * splitUnits([1, 0, 0, 0], { classes: 2, groups: ['a', 'a'] }).size(0) // 2
 */
export function splitUnits(
  labels: ArrayLike<number>,
  { classes, groups }: { readonly classes: number; readonly groups?: ArrayLike<Key> },
): SplitUnits {
  if (!Number.isInteger(classes) || classes < 1) {
    throw new RangeError(`classes is ${classes}; expected a positive integer`);
  }
  const rows = labels.length / classes;
  if (!Number.isInteger(rows)) {
    throw new RangeError(`${labels.length} labels are not whole rows of ${classes} classes`);
  }
  if (groups !== undefined && groups.length !== rows) {
    throw new RangeError(`groups has ${groups.length} entries for ${rows} rows`);
  }
  checkLabels(labels, classes);
  const single = rowUnits(labels, classes, rows);
  return groups === undefined
    ? single
    : groupUnits(single, distinctKeys(groups, 'appearance', 'groups').indices);
}

/** Each row for itself: what it holds is read from the labels, since a copy would be larger than they are. */
function rowUnits(labels: ArrayLike<number>, classes: number, rows: number): SplitUnits {
  const presence = presenceOfRows(labels, classes);
  const labelsOf = (row: number, stratum: number) =>
    stratum === classes
      ? Number(presence[row] === ROW_UNDECIDED)
      : Number(labels[row * classes + stratum]! >= PRESENT_FROM);
  const totals = new Array<number>(classes + 1).fill(0);
  let negatives = 0;
  for (let row = 0; row < rows; row++) {
    if (presence[row] === ROW_NEGATIVE) negatives += 1;
    else for (let j = 0; j <= classes; j++) totals[j] = totals[j]! + labelsOf(row, j);
  }
  return {
    count: rows,
    rows,
    negatives,
    totals,
    unitOfRow: (row) => row,
    size: () => 1,
    negativesOf: (row) => Number(presence[row] === ROW_NEGATIVE),
    labelsOf,
  };
}

function groupUnits(single: SplitUnits, unitOfRow: Int32Array): SplitUnits {
  const strata = single.totals.length;
  const count = unitOfRow.reduce((most, unit) => Math.max(most, unit + 1), 0);
  const sizes = new Int32Array(count);
  const negatives = new Int32Array(count);
  const counts = new Int32Array(count * strata);
  unitOfRow.forEach((unit, row) => {
    sizes[unit] = sizes[unit]! + 1;
    negatives[unit] = negatives[unit]! + single.negativesOf(row);
    for (let j = 0; j < strata; j++) {
      counts[unit * strata + j] = counts[unit * strata + j]! + single.labelsOf(row, j);
    }
  });
  return {
    ...single,
    count,
    unitOfRow: (row) => unitOfRow[row]!,
    size: (unit) => sizes[unit]!,
    negativesOf: (unit) => negatives[unit]!,
    labelsOf: (unit, stratum) => counts[unit * strata + stratum]!,
  };
}

function checkLabels(labels: ArrayLike<number>, classes: number): void {
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i]!;
    if ((label >= 0 && label <= 1) || Number.isNaN(label)) continue;
    throw new RangeError(
      `labels at row ${Math.floor(i / classes)}, class ${i % classes} is ${label}; expected 0 to 1 or NaN for unknown`,
    );
  }
}
