// Iterative stratification. Sechidis, Tsoumakas and Vlahavas, "On the Stratification of Multi-Label Data",
// ECML PKDD 2011. Departure: what is dealt out may be a group of rows that stays together (all images of a
// patient), which counts with its size and with all its labels; larger holdings are dealt first, since a large
// group fits ever worse. With groups of one row it is the published algorithm.

import type { NumpyRandom } from '../random/numpyRandom.js';
import { distinctKeys, type Key } from './distinctKeys.js';
import { generatorOf } from './shuffleSplit.js';

/** How to deal out the rows. */
export interface IterativeSplitOptions {
  /** The number of label columns. */
  readonly classes: number;
  /** The share of each part; they sum to 1. */
  readonly shares: readonly number[];
  /** A seed or a generator, for the order of dealing and for ties. */
  readonly random: number | NumpyRandom;
  /** One key a row; rows with the same key go to the same part. */
  readonly groups?: ArrayLike<Key>;
}

/**
 * Splits multi-label rows so that every class has its share of each part, the rarest class first.
 * Labels are 0 or 1, row by row; NaN is an unknown label and counts as absent.
 *
 * @returns the row indices of each part, ascending
 *
 * @example
 * const labels = [1, 0,  1, 0,  0, 1,  0, 1,  0, 0,  0, 0]; // six rows of two classes
 * iterativeStratifiedSplit(labels, { classes: 2, shares: [0.5, 0.5], random: 1 })
 * // [0 3 5] and [1 2 4]: one row of each class and one negative on both sides
 */
export function iterativeStratifiedSplit(
  labels: ArrayLike<number>,
  options: IterativeSplitOptions,
): Int32Array[] {
  checkShares(options.shares);
  const deal = unitsToDeal(labels, options);
  const random = generatorOf(options.random);
  const wanted = options.shares.map((share) => ({
    rows: share * deal.unitOfRow.length,
    labels: deal.totals.map((total) => share * total),
  }));
  const partOfUnit = new Int32Array(deal.sizes.length).fill(-1);

  const give = (unit: number, parts: readonly number[]): void => {
    const part = parts[random.integer(parts.length)]!;
    const want = wanted[part]!;
    partOfUnit[unit] = part;
    want.rows -= deal.sizes[unit]!;
    for (let j = 0; j < options.classes; j++) {
      const count = deal.counts[unit * options.classes + j]!;
      want.labels[j] = want.labels[j]! - count;
      deal.totals[j] = deal.totals[j]! - count;
    }
  };

  const order = Array.from(random.permutation(deal.sizes.length));
  const allParts = wanted.map((_, part) => part);
  for (let j = rarest(deal.totals); j >= 0; j = rarest(deal.totals)) {
    const count = (unit: number) => deal.counts[unit * options.classes + j]!;
    const holders = order.filter((unit) => partOfUnit[unit] === -1 && count(unit) > 0);
    for (const unit of holders.sort((a, b) => count(b) - count(a))) {
      const wanting = largest(allParts, (part) => wanted[part]!.labels[j]!);
      give(
        unit,
        largest(wanting, (part) => wanted[part]!.rows),
      );
    }
  }
  const unlabeled = order.filter((unit) => partOfUnit[unit] === -1);
  for (const unit of unlabeled.sort((a, b) => deal.sizes[b]! - deal.sizes[a]!)) {
    give(
      unit,
      largest(allParts, (part) => wanted[part]!.rows),
    );
  }
  return rowsOfParts(deal.unitOfRow, partOfUnit, options.shares.length);
}

/** What is dealt out: single rows or groups of them, with the number of rows and of labels that each holds. */
interface Units {
  readonly unitOfRow: Int32Array;
  readonly sizes: Int32Array;
  /** Positive labels by unit and class. */
  readonly counts: Int32Array;
  /** Positive labels by class that are not dealt yet. */
  readonly totals: number[];
}

function unitsToDeal(labels: ArrayLike<number>, { classes, groups }: IterativeSplitOptions): Units {
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
  const unitOfRow =
    groups === undefined
      ? Int32Array.from({ length: rows }, (_, row) => row)
      : distinctKeys(groups, 'appearance', 'groups').indices;
  const unitCount = unitOfRow.reduce((most, unit) => Math.max(most, unit + 1), 0);
  const sizes = new Int32Array(unitCount);
  const counts = new Int32Array(unitCount * classes);
  const totals = new Array<number>(classes).fill(0);
  unitOfRow.forEach((unit, row) => {
    sizes[unit] = sizes[unit]! + 1;
    for (let j = 0; j < classes; j++) {
      const label = labels[row * classes + j]!;
      if (label !== 0 && label !== 1 && !Number.isNaN(label)) {
        throw new RangeError(
          `labels at row ${row}, class ${j} is ${label}; expected 0, 1 or NaN for unknown`,
        );
      }
      if (label !== 1) continue;
      counts[unit * classes + j] = counts[unit * classes + j]! + 1;
      totals[j] = totals[j]! + 1;
    }
  });
  return { unitOfRow, sizes, counts, totals };
}

function checkShares(shares: readonly number[]): void {
  shares.forEach((share, part) => {
    if (!(share > 0 && share <= 1)) {
      throw new RangeError(`shares[${part}] is ${share}; expected above 0 and at most 1`);
    }
  });
  const total = shares.reduce((sum, share) => sum + share, 0);
  if (Math.abs(total - 1) > 1e-9) throw new RangeError(`shares sum to ${total}; expected 1`);
}

/** The class with the fewest labels left to deal, or -1 when none is left. */
function rarest(totals: readonly number[]): number {
  let found = -1;
  totals.forEach((total, j) => {
    if (total > 0 && (found < 0 || total < totals[found]!)) found = j;
  });
  return found;
}

function largest(parts: readonly number[], value: (part: number) => number): number[] {
  const most = Math.max(...parts.map(value));
  return parts.filter((part) => value(part) === most);
}

function rowsOfParts(unitOfRow: Int32Array, partOfUnit: Int32Array, partCount: number): Int32Array[] {
  const rows: number[][] = Array.from({ length: partCount }, () => []);
  unitOfRow.forEach((unit, row) => {
    rows[partOfUnit[unit]!]!.push(row);
  });
  return rows.map((part) => Int32Array.from(part));
}
