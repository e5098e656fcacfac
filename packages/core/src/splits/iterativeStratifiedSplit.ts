// Iterative stratification. Sechidis, Tsoumakas and Vlahavas, "On the Stratification of Multi-Label Data",
// ECML PKDD 2011. Differences from the paper:
//
// - A unit may be a group of rows that stays together (all images of a patient); it counts with its size and all its
//   labels. Groups of each size keep their share of every part: groups with a class too rare for every part are assigned by
//   that class, the others are dealt in a random order, size by size, and then moved and exchanged if that brings rows and
//   classes closer to their shares.
// - Undecided rows are a separate stratum.
// - Negatives, which the published algorithm only uses as filler, roughly keep their share of each part, and every part
//   gets one if there are enough.
// - If a class is too small for every part to get a row, a row that no part needs as a whole goes to the part that lacks
//   the most rows. The published rule gives both rows of every two-row class to the largest part, so with many such
//   classes the other parts stay empty.

import type { Key } from '../labels/distinctKeys.js';
import type { NumpyRandom } from '../random/numpyRandom.js';
import { balanceGroups } from './balanceGroups.js';
import { generatorOf } from './shuffleSplit.js';
import { type SizeBands, sizeBands } from './sizeBands.js';
import { type SparseLabels, type SplitUnits, splitUnits } from './splitUnits.js';
import { spreadNegatives } from './spreadNegatives.js';

/** How to split the rows. */
export interface IterativeSplitOptions {
  /** The number of label columns. */
  readonly classes: number;
  /** The share of each part; the shares sum to 1. */
  readonly shares: readonly number[];
  /** A seed or a generator, for the order of assignment and for ties. */
  readonly random: number | NumpyRandom;
  /** One key per row; rows with the same key go to the same part. */
  readonly groups?: ArrayLike<Key>;
}

/** How far a part may exceed its share of the negatives to reach its size, as a fraction of that share. */
const negativeSlack = 0.02;

/** Rounding error in sums of shares: a part that lacks this little lacks nothing. */
const rounding = 1e-9;

/**
 * Splits multi-label rows so that every class has its share of each part, starting with the rarest class; so do undecided
 * and negative rows. Labels are a row-major table of values from 0 to 1 (at least 0.5 means present) or NaN for unknown,
 * or {@link SparseLabels}.
 *
 * @returns the row indices of each part, ascending
 *
 * @example
 * const labels = [1, 0,  1, 0,  0, 1,  0, 1,  0, 0,  0, 0]; // six rows of two classes
 * iterativeStratifiedSplit(labels, { classes: 2, shares: [0.5, 0.5], random: 1 })
 * // [0 3 5] and [1 2 4]: one row of each class and one negative on both sides
 */
export function iterativeStratifiedSplit(
  labels: ArrayLike<number> | SparseLabels,
  options: IterativeSplitOptions,
): Int32Array[] {
  checkShares(options.shares);
  const units = splitUnits(labels, options);
  const random = generatorOf(options.random);
  const wanted = options.shares.map((share) => ({
    rows: share * units.rows,
    strata: Float64Array.from(units.totals, (total) => share * total),
    negatives: share * units.negatives,
    slack: negativeSlack * share * units.negatives,
  }));
  const partOfUnit = new Int32Array(units.count).fill(-1);
  const left = units.totals.slice();

  const give = (unit: number, parts: readonly number[]): void => {
    const part = parts[random.integer(parts.length)]!;
    const want = wanted[part]!;
    partOfUnit[unit] = part;
    want.rows -= units.size(unit);
    want.negatives -= units.negativesOf(unit);
    units.eachStratum(unit, (j, count) => {
      want.strata[j] = want.strata[j]! - count;
      left[j] = left[j]! - count;
    });
  };

  const order = Array.from(random.permutation(units.count));
  const holdersOf = holdersOfStrata(units, order);
  const allParts = wanted.map((_, part) => part);
  const mostRows = (parts: readonly number[]) => largest(parts, (part) => wanted[part]!.rows);
  const partsForClass = (j: number): number[] => {
    const isFew = options.shares.some((share) => share * units.totals[j]! < 1);
    const isFirst = left[j] === units.totals[j]; // goes where most of the class belongs: a model learns nothing from a test row
    if (!isFew || isFirst || allParts.some((part) => wanted[part]!.strata[j]! >= 1)) {
      return mostRows(largest(allParts, (part) => wanted[part]!.strata[j]!));
    }
    const wanting = allParts.filter((part) => wanted[part]!.strata[j]! > rounding);
    return largest(
      wanting.length > 0 ? wanting : allParts,
      (part) => wanted[part]!.rows / options.shares[part]!,
    );
  };
  const bands = options.groups && sizeBands(units);
  for (let j = rarest(left); j >= 0; j = rarest(left)) {
    // Of grouped rows, only those of rare classes are assigned here; the others are dealt by size.
    if (bands && options.shares.every((share) => share * units.totals[j]! >= 1)) {
      left[j] = 0;
      continue;
    }
    const holders = Array.from(holdersOf(j)).filter((unit) => partOfUnit[unit] === -1);
    for (const unit of holders.sort((a, b) => units.rowsIn(b, j) - units.rowsIn(a, j))) {
      give(unit, partsForClass(j));
    }
  }
  if (bands) {
    dealBySize(bands, partOfUnit, options.shares, order);
    balanceGroups(units, partOfUnit, options.shares, bands, order);
    spreadNegatives(units, partOfUnit, options.shares);
    return rowsOfParts(units, partOfUnit, options.shares.length);
  }
  const negative = order.filter((unit) => partOfUnit[unit] === -1);
  for (const unit of negative.sort((a, b) => units.size(b) - units.size(a))) {
    const wanting = allParts.filter((part) => wanted[part]!.negatives > -wanted[part]!.slack);
    give(unit, mostRows(wanting.length > 0 ? wanting : allParts));
  }
  spreadNegatives(units, partOfUnit, options.shares);
  return rowsOfParts(units, partOfUnit, options.shares.length);
}

/**
 * Returns the classes that are too rare for every part to get one: fewer than one group, or row without groups, would be in
 * the smallest part. Their shares are left to chance.
 *
 * @example
 * classesTooRare([1, 0, 1, 0, 1, 1], { classes: 2, shares: [0.5, 0.5] }) // [1]
 */
export function classesTooRare(
  labels: ArrayLike<number> | SparseLabels,
  options: Omit<IterativeSplitOptions, 'random'>,
): number[] {
  checkShares(options.shares);
  const units = splitUnits(labels, options);
  const holders = new Int32Array(units.totals.length);
  for (let unit = 0; unit < units.count; unit++) {
    units.eachStratum(unit, (j) => {
      holders[j]! += 1;
    });
  }
  const least = Math.min(...options.shares);
  return Array.from({ length: options.classes }, (_, j) => j).filter((j) => least * holders[j]! < 1);
}

/** Gives the units that have no part yet to the parts that lack most of their size, in a random order. */
function dealBySize(
  { bandOf, counts }: SizeBands,
  partOfUnit: Int32Array,
  shares: readonly number[],
  order: readonly number[],
): void {
  const lacking = counts.map((count) => shares.map((share) => share * count));
  partOfUnit.forEach((part, unit) => {
    if (part >= 0) lacking[bandOf[unit]!]![part]! -= 1;
  });
  for (const unit of order) {
    if (partOfUnit[unit]! >= 0) continue;
    const lacks = lacking[bandOf[unit]!]!;
    const part = lacks.indexOf(Math.max(...lacks));
    partOfUnit[unit] = part;
    lacks[part]! -= 1;
  }
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

/** Returns a function that lists the units with rows in a stratum, in the given order. */
function holdersOfStrata(units: SplitUnits, order: readonly number[]): (stratum: number) => Uint32Array {
  const starts = new Uint32Array(units.totals.length + 1);
  units.totals.forEach((total, j) => {
    starts[j + 1] = starts[j]! + total; // counts rows; a unit may have several
  });
  const holders = new Uint32Array(starts.at(-1)!);
  const ends = starts.slice(0, -1);
  for (const unit of order) {
    units.eachStratum(unit, (j) => {
      holders[ends[j]!] = unit;
      ends[j] = ends[j]! + 1;
    });
  }
  return (j) => holders.subarray(starts[j], ends[j]);
}

/** Returns the stratum with the fewest labels left to assign, or -1 if none is left. */
function rarest(totals: Int32Array): number {
  let found = -1;
  for (let j = 0; j < totals.length; j++) {
    if (totals[j]! > 0 && (found < 0 || totals[j]! < totals[found]!)) found = j;
  }
  return found;
}

function largest(parts: readonly number[], value: (part: number) => number): number[] {
  const most = Math.max(...parts.map(value));
  return parts.filter((part) => value(part) === most);
}

function rowsOfParts({ unitOfRow, rows }: SplitUnits, partOfUnit: Int32Array, parts: number): Int32Array[] {
  const rowsOf: number[][] = Array.from({ length: parts }, () => []);
  for (let row = 0; row < rows; row++) rowsOf[partOfUnit[unitOfRow(row)]!]!.push(row);
  return rowsOf.map((part) => Int32Array.from(part));
}
