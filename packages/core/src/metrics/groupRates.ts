import { ROW_NEGATIVE } from '../labels/instancePresence.js';
import type { Multiplicities } from './classCounts.js';
import type { Measurement } from './measurement.js';

/**
 * Returns the false-alarm rate of a random negative row of a random group: the mean, over the groups that have negatives, of
 * the share of their negatives in which a class is predicted. Null without groups or without negatives.
 *
 * Every row of a group must count equally often, as in a bootstrap that draws whole groups.
 */
export function falseAlarmRateByGroup(
  { ranked: { grouping, rowKinds }, rowStates }: Pick<Measurement, 'ranked' | 'rowStates'>,
  multiplicities: Multiplicities,
): number | null {
  if (grouping === undefined) return null;
  const { codes, names } = grouping;
  const negatives = new Float64Array(names.length);
  const falseAlarms = new Float64Array(names.length);
  const timesOf = new Float64Array(names.length);
  for (let row = 0; row < codes.length; row++) {
    if (rowKinds[row] !== ROW_NEGATIVE) continue;
    const group = codes[row]!;
    negatives[group] = negatives[group]! + 1;
    falseAlarms[group] = falseAlarms[group]! + (rowStates[row]! & 1);
    timesOf[group] = multiplicities[row]!;
  }
  let sum = 0;
  let total = 0;
  for (let group = 0; group < names.length; group++) {
    if (negatives[group] === 0) continue;
    sum += (timesOf[group]! * falseAlarms[group]!) / negatives[group]!;
    total += timesOf[group]!;
  }
  return total === 0 ? null : sum / total;
}
