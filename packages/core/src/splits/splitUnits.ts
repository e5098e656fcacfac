import { distinctKeys, type Key } from '../labels/distinctKeys.js';
import { type InstancePresence, instancePresence, PRESENT_FROM } from '../labels/instancePresence.js';

/** Sparse labels, for tables with many classes: only present labels take memory. */
export interface SparseLabels {
  readonly rows: number;
  /** Returns the classes whose target is known and at least 0.5, each once. */
  present(row: number): ArrayLike<number>;
  presence(row: number): InstancePresence;
}

/** The units that a split assigns: single rows, or groups of rows. Memory is proportional to the present labels. */
export interface SplitUnits {
  readonly count: number;
  readonly rows: number;
  /** Total number of negative rows. */
  readonly negatives: number;
  /** Rows in each stratum: one per class, plus one for undecided rows. */
  readonly totals: Int32Array;
  unitOfRow(row: number): number;
  /** Returns the number of rows in a unit. */
  size(unit: number): number;
  negativesOf(unit: number): number;
  /** Returns the number of a unit's rows in a stratum. */
  rowsIn(unit: number, stratum: number): number;
  /** Calls back with each stratum that a unit has rows in, and the number of rows. */
  eachStratum(unit: number, visit: (stratum: number, rows: number) => void): void;
}

/**
 * Makes the units of a split from labels and, optionally, groups.
 *
 * @example
 * splitUnits([1, 0, 0, 0], { classes: 2, groups: ['a', 'a'] }).size(0) // 2
 */
export function splitUnits(
  labels: ArrayLike<number> | SparseLabels,
  { classes, groups }: { readonly classes: number; readonly groups?: ArrayLike<Key> },
): SplitUnits {
  if (!Number.isInteger(classes) || classes < 1) {
    throw new RangeError(`classes is ${classes}; expected a positive integer`);
  }
  const sparse = 'present' in labels ? labels : sparseLabels(labels, classes);
  if (groups !== undefined && groups.length !== sparse.rows) {
    throw new RangeError(`groups has ${groups.length} entries for ${sparse.rows} rows`);
  }
  return unitsOf(sparse, classes, groups && distinctKeys(groups, 'appearance', 'groups').indices);
}

function unitsOf(labels: SparseLabels, classes: number, groupOfRow: Int32Array | undefined): SplitUnits {
  const { rows } = labels;
  const unitOfRow = groupOfRow ? (row: number) => groupOfRow[row]! : (row: number) => row;
  const count = groupOfRow ? groupOfRow.reduce((most, unit) => Math.max(most, unit + 1), 0) : rows;
  const sizes = new Int32Array(count);
  const negativesOf = new Int32Array(count);
  const totals = new Int32Array(classes + 1);
  const undecided = [classes];
  const none: number[] = [];
  const strataOf = (row: number): ArrayLike<number> => {
    const presence = labels.presence(row);
    if (presence === 'positive') return labels.present(row);
    return presence === 'undecided' ? undecided : none;
  };
  let negatives = 0;
  // A unit's entries start where the previous unit's end; each stratum has one entry per row in the unit.
  const starts = new Uint32Array(count + 1);
  for (let row = 0; row < rows; row++) {
    const unit = unitOfRow(row);
    const strata = strataOf(row);
    sizes[unit] = sizes[unit]! + 1;
    starts[unit + 1] = starts[unit + 1]! + strata.length;
    if (labels.presence(row) === 'negative') {
      negativesOf[unit] = negativesOf[unit]! + 1;
      negatives += 1;
    }
    for (let i = 0; i < strata.length; i++) totals[strata[i]!] = totals[strata[i]!]! + 1;
  }
  for (let unit = 0; unit < count; unit++) starts[unit + 1] = starts[unit + 1]! + starts[unit]!;
  const entries = new Uint32Array(starts[count]!);
  const next = starts.slice(0, count);
  for (let row = 0; row < rows; row++) {
    const unit = unitOfRow(row);
    const strata = strataOf(row);
    entries.set(strata, next[unit]!);
    next[unit] = next[unit]! + strata.length;
  }
  for (let unit = 0; unit < count; unit++) entries.subarray(starts[unit], starts[unit + 1]).sort();
  return {
    count,
    rows,
    negatives,
    totals,
    unitOfRow,
    size: (unit) => sizes[unit]!,
    negativesOf: (unit) => negativesOf[unit]!,
    rowsIn(unit, stratum) {
      let found = 0;
      for (let i = starts[unit]!; i < starts[unit + 1]!; i++) found += Number(entries[i] === stratum);
      return found;
    },
    eachStratum(unit, visit) {
      const end = starts[unit + 1]!;
      for (let from = starts[unit]!, to = from; from < end; from = to) {
        while (to < end && entries[to] === entries[from]) to += 1;
        visit(entries[from]!, to - from);
      }
    },
  };
}

/** Presents row-major labels as sparse ones, looked up in place, since a copy could be larger than the original. */
function sparseLabels(labels: ArrayLike<number>, classes: number): SparseLabels {
  const rows = labels.length / classes;
  if (!Number.isInteger(rows)) {
    throw new RangeError(`${labels.length} labels are not whole rows of ${classes} classes`);
  }
  checkLabels(labels, classes);
  const targets = new Float64Array(classes);
  const read = (row: number) => {
    for (let j = 0; j < classes; j++) targets[j] = labels[row * classes + j]!;
    return targets;
  };
  return {
    rows,
    presence: (row) => instancePresence(read(row)),
    present(row) {
      const found: number[] = [];
      read(row).forEach((target, j) => {
        if (target >= PRESENT_FROM) found.push(j);
      });
      return found;
    },
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
