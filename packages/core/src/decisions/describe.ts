// Decisions and guarantees in words, for terminals, pages and model records alike.

import { promiseUnit } from './budget.js';
import type { Decision, DecisionBudget, DecisionReport } from './decision.js';
import type { GivenGuarantee } from './guarantee.js';
import type { MoreLabels } from './promisable.js';

/**
 * Describes the false alarms on the data of the fit: with their 95% bound, or by group if rows share groups.
 *
 * @example
 * describeFalseAlarms(decision)
 * // '38 of 805 validation negatives (4.7%; at most 6.1% with 95% confidence)'
 * // '38 of 805 validation negatives (4.7%; 4.1% by group)'
 */
export function describeFalseAlarms({ report, fittedOn }: Pick<Decision, 'report' | 'fittedOn'>): string {
  const { falseAlarms, negatives, falseAlarmRate, falseAlarmBound, falseAlarmRateByGroup } = report;
  const of = `${fittedOn === null ? '' : `${fittedOn} `}negatives`;
  if (falseAlarmRate === null) return `no ${of}`;
  const rates = [
    inPercent(falseAlarmRate),
    ...(falseAlarmBound === null ? [] : [`at most ${inPercent(falseAlarmBound)} with 95% confidence`]),
    ...(falseAlarmBound === null && falseAlarmRateByGroup !== null
      ? [`${inPercent(falseAlarmRateByGroup)} by group`]
      : []),
  ];
  return `${falseAlarms} of ${negatives} ${of} (${rates.join('; ')})`;
}

/**
 * Says what is promised, about what, how surely, and what it rests on.
 *
 * @example
 * if (report.guarantee.holds) describeGuarantee(report.guarantee)
 * // 'at most 5% of negatives alarm, with 95% confidence (rests on 38 of 805 negatives)'
 * // 'at most 5% of negatives alarm, counting each group equally, with 95% confidence (rests on 4 of 120 groups)'
 * // 'at most 2% of groups with a positive are cleared, with 95% confidence, if new groups are of similar sizes (rests on 0 of 310 groups)'
 */
export function describeGuarantee(guarantee: GivenGuarantee): string {
  const { about, rate, confidence, unit, groups, candidates, exceeding, of } = guarantee;
  const isAlarm = about === 'false alarms';
  const whole = isAlarm ? 'groups without positives get an alarm' : 'groups with a positive are cleared';
  const single = isAlarm ? 'negatives alarm' : 'positives are cleared';
  const weighed = unit === 'image' && groups !== null ? ', counting each group equally,' : ',';
  const sizes = unit === 'group' ? ', if new groups are of similar sizes' : '';
  const instances = groups !== null ? 'groups' : isAlarm ? 'negatives' : 'positives';
  const chosen = candidates > 1 ? `; ${candidates} candidates were compared on these rows` : '';
  return (
    `at most ${inPercent(rate)} of ${unit === 'group' ? whole : single}${weighed} with ${inPercent(confidence)} confidence${sizes} ` +
    `(rests on ${exceeding} of ${of} ${instances}${chosen})`
  );
}

/**
 * Says what a decision promises about new data, a line for each limit; empty if it promises nothing, which `report.remarks`
 * explain.
 *
 * @example
 * describePromises(decision.report) // ['at most 5% of negatives alarm, with 95% confidence (rests on 38 of 805 negatives)']
 */
export function describePromises({
  guarantee,
  triage,
}: Pick<DecisionReport, 'guarantee' | 'triage'>): string[] {
  return [guarantee, ...(triage ? [triage.guarantee] : [])].flatMap((each) =>
    each.holds ? [describeGuarantee(each)] : [],
  );
}

/**
 * Says how sure both promises are together; undefined unless there are two.
 *
 * @example
 * describeBothPromises(triage.report) // 'Both limits hold together with at least 90% confidence.'
 */
export function describeBothPromises({
  guarantee,
  triage,
}: Pick<DecisionReport, 'guarantee' | 'triage'>): string | undefined {
  if (!guarantee.holds || !triage?.guarantee.holds) return undefined;
  const both = Math.max(0, guarantee.confidence + triage.guarantee.confidence - 1);
  return `Both limits hold together with at least ${inPercent(both)} confidence.`;
}

/** What is labeled more of. */
export type LabeledKind =
  | 'negatives'
  | 'positives'
  | 'groups'
  | 'groups with a negative'
  | 'groups with negatives only'
  | 'groups with a positive';

/**
 * Says what more labels would buy, a line for each number.
 *
 * @example
 * describeMoreLabels(moreLabels(50, 0.05), 'negatives')
 * // ['100 more labeled negatives: 2% could be promised, and a rate of 5% would be known to 2.3% to 10.2%', …]
 */
export function describeMoreLabels(buys: readonly MoreLabels[], kind: LabeledKind): string[] {
  const isOfMisses = kind === 'positives' || kind === 'groups with a positive';
  return buys.map(({ more, rate, smallestRate, interval }) => {
    const labels = `${more.toLocaleString('en-US')} more labeled ${kind}`;
    const known = `${isOfMisses ? 'a share of missed ones' : 'a rate'} of ${inPercent(rate)} would be known to ${inPercent(interval.low)} to ${inPercent(interval.high)}`;
    return `${labels}: ${percentNeeded(smallestRate)} could be promised, and ${known}`;
  });
}

/**
 * Says what a decision limits, whether or not that is promised; undefined for rules that keep no budget.
 *
 * @example
 * describeLimits(triage) // 'at most 5% false alarms and at most 10% missed with 95% confidence'
 * describeLimits(fittedOnKnownRows) // 'at most 5% false alarms, not promised'
 */
export function describeLimits({
  rule,
  budget,
  report,
}: Pick<Decision, 'rule' | 'budget' | 'report'>): string | undefined {
  if (rule === 'class' || rule === 'fixed') return undefined;
  const { guarantee, triage } = report;
  const isPromised = guarantee.holds && triage?.guarantee.holds !== false;
  const isPartly = guarantee.holds || triage?.guarantee.holds === true;
  const limits = isPromised || 'f1Neg' in budget ? budget : { ...budget, confidence: null };
  const whole = promiseUnit(budget) === 'group' ? ', of whole groups' : '';
  const unsure = isPromised ? '' : isPartly ? ', not both promised' : ', not promised';
  return `${budgetText(limits, report.leastF1Neg)}${whole}${unsure}`;
}

/** Says what a budget limits. */
export function budgetText(budget: DecisionBudget, leastF1Neg: number | null): string {
  if ('f1Neg' in budget) return `F1-Neg of at least ${inPercent(leastF1Neg ?? 0)}`;
  const { falseAlarms, missed, confidence = null } = budget;
  const sure = confidence === null ? '' : ` with ${inPercent(confidence)} confidence`;
  const misses = missed === undefined ? '' : ` and at most ${inPercent(missed)} missed`;
  return `at most ${inPercent(falseAlarms)} false alarms${misses}${sure}`;
}

/**
 * Writes the least share that something takes, in percent, rounded up: a share that is too small must not look like one
 * that is enough.
 *
 * @example
 * percentNeeded(0.0502) // '5.1%'
 */
export function percentNeeded(share: number): string {
  const steps = share < 0.01 ? 10_000 : 1000;
  // Rounded first, because 0.07 is 70.00000000000001 thousandths.
  return inPercent(Math.ceil(Number((steps * share).toFixed(6))) / steps);
}

/**
 * Writes a share in percent, with one decimal where it has one, and more where it would look like nothing or all.
 *
 * @example
 * inPercent(0.047) // '4.7%'
 * inPercent(0.99995) // '99.995%'
 */
export function inPercent(share: number): string {
  let digits = share < 0.01 ? 2 : 1;
  const rounded = () => Number((100 * share).toFixed(digits));
  while (digits < 10 && ((share > 0 && rounded() === 0) || (share < 1 && rounded() === 100))) digits++;
  return `${rounded()}%`;
}
