import { bandTolerance, type SizeBands } from './sizeBands.js';
import type { SplitUnits } from './splitUnits.js';

/** A pass without a change ends the search; on small tables, that is one of the first few. */
const mostPasses = 10;
/** How many exchange partners are tried for each group per pass. */
const partners = 32;
/** With more labels than this, exchanges would take too long; moves alone bring most of the gain. */
const mostLabels = 50_000;
/** Smaller gains may be rounding errors and are ignored. */
const leastGain = 1e-9;

/**
 * Moves groups between parts, and exchanges them, as long as that brings the parts closer to their shares, measured by
 *
 *     χ² = Σ (found - wanted)² / wanted
 *
 * over the parts' rows, negatives, rows of every stratum, and groups of every size.
 *
 * A part never loses its last row of a stratum or its last negative, and keeps its share of the groups of every size to
 * within the tolerance. A group stays where it was assigned if it has a class that is too small for a row in every part.
 *
 * @param partOfUnit changed in place
 * @param order the units in a random order, so that which of several equal groups is moved does not depend on their names
 */
export function balanceGroups(
  units: SplitUnits,
  partOfUnit: Int32Array,
  shares: readonly number[],
  { bandOf, counts }: SizeBands,
  order: readonly number[],
): void {
  const strata = units.totals.length;
  const totals = new Float64Array(strata + 2 + counts.length);
  totals.set(units.totals);
  totals.set([units.negatives, units.rows, ...counts], strata);
  const firstBand = strata + 2;
  const found = shares.map(() => new Float64Array(totals.length));
  /** Calls back with everything that a unit contains. */
  const eachAmount = (unit: number, visit: (what: number, amount: number) => void): void => {
    units.eachStratum(unit, visit);
    if (units.negativesOf(unit) > 0) visit(strata, units.negativesOf(unit));
    visit(strata + 1, units.size(unit));
    visit(firstBand + bandOf[unit]!, 1);
  };
  /** Adds a unit to a part, or removes it; returns the change in χ². */
  const add = (unit: number, part: number, sign: 1 | -1): number => {
    const own = found[part]!;
    let change = 0;
    eachAmount(unit, (what, amount) => {
      const wanted = shares[part]! * totals[what]!;
      change += (amount * (amount + 2 * sign * (own[what]! - wanted))) / wanted;
      own[what] = own[what]! + sign * amount;
    });
    return change;
  };
  const give = (unit: number, to: number): number => {
    const change = add(unit, partOfUnit[unit]!, -1) + add(unit, to, 1);
    partOfUnit[unit] = to;
    return change;
  };
  /** Whether a part still has some of everything that a removed unit contained. */
  const canSpare = (part: number, unit: number): boolean => {
    let has = true;
    eachAmount(unit, (what) => {
      has &&= what >= firstBand || found[part]![what]! > 0;
    });
    return has;
  };
  /** Whether a part has too few or too many groups of a unit's size, and more so than before. */
  const strays = (part: number, unit: number, change: 1 | -1): boolean => {
    const band = firstBand + bandOf[unit]!;
    const wanted = shares[part]! * totals[band]!;
    const excess = found[part]![band]! - wanted;
    return Math.abs(excess) > bandTolerance(wanted) && excess * change > 0;
  };

  const move = (unit: number, to: number): boolean => {
    const from = partOfUnit[unit]!;
    if (from === to) return false;
    const isBetter = give(unit, to) < -leastGain && canSpare(from, unit);
    if (isBetter && !strays(from, unit, -1) && !strays(to, unit, 1)) return true;
    give(unit, from);
    return false;
  };
  const exchange = (unit: number, other: number): boolean => {
    const [from, to] = [partOfUnit[unit]!, partOfUnit[other]!];
    if (from === to) return false;
    const change = give(unit, to) + give(other, from);
    const isBetter = change < -leastGain && canSpare(from, unit) && canSpare(to, other);
    const isEven = bandOf[unit] === bandOf[other];
    const hasStrayed =
      !isEven &&
      (strays(from, unit, -1) || strays(to, unit, 1) || strays(to, other, -1) || strays(from, other, 1));
    if (isBetter && !hasStrayed) return true;
    give(unit, from);
    give(other, to);
    return false;
  };

  partOfUnit.forEach((part, unit) => {
    add(unit, part, 1);
  });
  const movable = order
    .filter((unit) => !hasFew(units, unit, shares))
    .sort((a, b) => units.size(b) - units.size(a));
  const labels = units.totals.reduce((sum, total) => sum + total, 0);
  const step = Math.ceil(movable.length / partners);
  for (let pass = 0, changed = true; changed && pass < mostPasses; pass++) {
    changed = false;
    for (const unit of movable) {
      for (let part = 0; part < shares.length; part++) changed = move(unit, part) || changed;
    }
    if (labels > mostLabels) continue;
    movable.forEach((unit, i) => {
      for (let k = (i + pass) % step; k < movable.length; k += step) {
        changed = exchange(unit, movable[k]!) || changed;
      }
    });
  }
}

/** Whether a unit has a class with too few rows for every part to get one. */
function hasFew(units: SplitUnits, unit: number, shares: readonly number[]): boolean {
  let few = false;
  units.eachStratum(unit, (j) => {
    few ||= shares.some((share) => share * units.totals[j]! < 1);
  });
  return few;
}
