import type { SplitUnits } from './splitUnits.js';

/**
 * Moves a unit with negatives to each part that has none, largest parts first, from the part with the most such units, as
 * long as that part keeps one. Otherwise, a few negatives among many classes might all end up in one part, and the others
 * could not measure false alarms at all. Units without other labels are moved first, and small ones before large ones.
 *
 * @param partOfUnit changed in place
 */
export function spreadNegatives(units: SplitUnits, partOfUnit: Int32Array, shares: readonly number[]): void {
  const holders: number[][] = shares.map(() => []);
  partOfUnit.forEach((part, unit) => {
    if (units.negativesOf(unit) > 0) holders[part]!.push(unit);
  });
  const byShare = [...shares.keys()].sort((a, b) => shares[b]! - shares[a]!);
  for (const part of byShare) {
    if (holders[part]!.length > 0) continue;
    const donor = byShare.reduce((most, other) =>
      holders[other]!.length > holders[most]!.length ? other : most,
    );
    if (holders[donor]!.length < 2) return;
    const unit = holders[donor]!.reduce((best, other) =>
      cost(units, other) < cost(units, best) ? other : best,
    );
    holders[donor] = holders[donor]!.filter((other) => other !== unit);
    holders[part] = [unit];
    partOfUnit[unit] = part;
  }
}

/** The cost of moving a unit: its labels count more than any number of rows. */
function cost(units: SplitUnits, unit: number): number {
  let labels = 0;
  units.eachStratum(unit, (_, rows) => {
    labels += rows;
  });
  return labels * units.rows + units.size(unit);
}
