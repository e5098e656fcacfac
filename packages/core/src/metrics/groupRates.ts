import { ROW_NEGATIVE, ROW_POSITIVE } from '../labels/instancePresence.js';
import type { Multiplicities } from './classCounts.js';
import type { Measurement } from './measurement.js';
import { ROW_ALARM, ROW_CLEAR } from './outcomes.js';

/**
 * Returns the false-alarm rate of a random negative row of a random group: the mean, over the groups that have negatives, of
 * the share of their negatives in which a class is predicted. Null without groups or without negatives.
 *
 * Every row of a group must count equally often, as in a bootstrap that draws whole groups.
 */
export function falseAlarmRateByGroup(
  measurement: Pick<Measurement, 'ranked' | 'rowStates'>,
  multiplicities: Multiplicities,
): number | null {
  return shareByGroup(measurement, multiplicities, ROW_NEGATIVE, (state) => (state & 1) === 1);
}

/** Returns the same of negatives whose outcome is an alarm, with or without a predicted class. */
export function negativesAlarmedByGroup(
  measurement: Pick<Measurement, 'ranked' | 'rowStates'>,
  multiplicities: Multiplicities,
): number | null {
  return shareByGroup(measurement, multiplicities, ROW_NEGATIVE, (state) => state >> 1 === ROW_ALARM);
}

/** Returns the share of cleared positives of a random positive row of a random group. Null without groups or positives. */
export function missedRateByGroup(
  measurement: Pick<Measurement, 'ranked' | 'rowStates'>,
  multiplicities: Multiplicities,
): number | null {
  return shareByGroup(measurement, multiplicities, ROW_POSITIVE, (state) => state >> 1 === ROW_CLEAR);
}

/** The mean, over the groups that have rows of a kind, of the share of those that count. */
function shareByGroup(
  { ranked: { grouping, rowKinds }, rowStates }: Pick<Measurement, 'ranked' | 'rowStates'>,
  multiplicities: Multiplicities,
  kind: typeof ROW_NEGATIVE | typeof ROW_POSITIVE,
  isCounted: (state: number) => boolean,
): number | null {
  if (grouping === undefined) return null;
  const { codes, names } = grouping;
  const ofKind = new Float64Array(names.length);
  const counted = new Float64Array(names.length);
  const timesOf = new Float64Array(names.length);
  for (let row = 0; row < codes.length; row++) {
    if (rowKinds[row] !== kind) continue;
    const group = codes[row]!;
    ofKind[group] = ofKind[group]! + 1;
    if (isCounted(rowStates[row]!)) counted[group] = counted[group]! + 1;
    timesOf[group] = multiplicities[row]!;
  }
  let sum = 0;
  let total = 0;
  for (let group = 0; group < names.length; group++) {
    if (ofKind[group] === 0) continue;
    sum += (timesOf[group]! * counted[group]!) / ofKind[group]!;
    total += timesOf[group]!;
  }
  return total === 0 ? null : sum / total;
}

/** Outcomes of whole groups, in shares; null without such groups. */
export interface GroupOutcomeRates {
  /** Of the groups without a positive or undecided row, those in which any row alarms. */
  readonly groupsAlarmed: number | null;
  /** Of the groups with a positive row, those that are cleared, because all their rows are. */
  readonly groupsMissed: number | null;
}

/** Returns the rates that a promise about whole groups limits. */
export function groupOutcomeRates(
  { ranked: { grouping, rowKinds }, rowStates }: Pick<Measurement, 'ranked' | 'rowStates'>,
  multiplicities: Multiplicities,
): GroupOutcomeRates {
  if (grouping === undefined) return { groupsAlarmed: null, groupsMissed: null };
  const { codes, names } = grouping;
  const highest = new Uint8Array(names.length);
  const hasPositive = new Uint8Array(names.length);
  const isNegative = new Uint8Array(names.length).fill(1);
  const timesOf = new Float64Array(names.length);
  for (let row = 0; row < codes.length; row++) {
    const group = codes[row]!;
    highest[group] = Math.max(highest[group]!, rowStates[row]! >> 1);
    if (rowKinds[row] === ROW_POSITIVE) hasPositive[group] = 1;
    if (rowKinds[row] !== ROW_NEGATIVE) isNegative[group] = 0;
    timesOf[group] = multiplicities[row]!;
  }
  const share = (isCounted: Uint8Array, outcome: number): number | null => {
    let [part, whole] = [0, 0];
    timesOf.forEach((times, group) => {
      if (isCounted[group] === 0) return;
      whole += times;
      if (highest[group] === outcome) part += times;
    });
    return whole === 0 ? null : part / whole;
  };
  return { groupsAlarmed: share(isNegative, ROW_ALARM), groupsMissed: share(hasPositive, ROW_CLEAR) };
}
