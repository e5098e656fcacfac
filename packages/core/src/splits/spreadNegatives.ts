import type { SplitUnits } from './splitUnits.js';

/**
 * Moves a unit with negatives to each part that has none, the largest parts first, from the part that has the most such units,
 * as long as it keeps one. Few negatives among many classes may all end up in one part, where the others could not tell false
 * alarms at all. Units without other labels are moved before others, small ones before large.
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

/** Labels that a unit would take along weigh more than any number of rows. */
function cost(units: SplitUnits, unit: number): number {
  let labels = 0;
  units.eachStratum(unit, (_, rows) => {
    labels += rows;
  });
  return labels * units.rows + units.size(unit);
}
