import type { SplitUnits } from './splitUnits.js';

/** Groups of about the same size. */
export interface SizeBands {
  /** The band of each unit; bands are numbered from small units to large ones. */
  readonly bandOf: Int32Array;
  /** The number of units in each band. */
  readonly counts: readonly number[];
}

/** Sizes that fewer groups have share a band with their neighbors. */
const ownBand = 20;
/** Shared bands are as narrow as possible, so that wider ones, however they are drawn, keep their shares too. */
const leastGroups = 10;

/**
 * Sorts units into bands by their number of rows: a band for every size that twenty or more units have, and for the others
 * bands of neighboring sizes with ten or more units.
 *
 * Splits that look at rows alone would put nearly all large groups into the largest part, because that is where the most rows
 * are missing; the other parts would then not be like it. Keeping the bands' shares avoids that.
 */
export function sizeBands(units: SplitUnits): SizeBands {
  const unitsOfSize = new Map<number, number[]>();
  for (let unit = 0; unit < units.count; unit++) {
    const size = units.size(unit);
    const same = unitsOfSize.get(size);
    if (same) same.push(unit);
    else unitsOfSize.set(size, [unit]);
  }
  const bands: number[][] = [];
  let open: number[] = [];
  for (const [, members] of [...unitsOfSize].sort(([a], [b]) => a - b)) {
    if (members.length >= ownBand) {
      bands.push(members);
      continue;
    }
    open.push(...members);
    if (open.length < leastGroups) continue;
    bands.push(open);
    open = [];
  }
  if (open.length > 0) bands.push(open);
  const bandOf = new Int32Array(units.count);
  bands.forEach((members, band) => {
    for (const unit of members) bandOf[unit] = band;
  });
  return { bandOf, counts: bands.map((members) => members.length) };
}

/** How many groups of a band a part may have more or less than its share. */
export function bandTolerance(wanted: number): number {
  return Math.max(1, Math.sqrt(wanted));
}
