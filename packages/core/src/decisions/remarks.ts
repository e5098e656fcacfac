import { promiseUnit } from './budget.js';
import type { DecisionReport } from './decision.js';
import { budgetText, describeBothPromises, percentNeeded } from './describe.js';
import type { FittedRule, RuleFit } from './fitRule.js';
import type { Guarantee, PromiseUnit } from './guarantee.js';

/** Returns what the reader of a decision should know besides its metrics. */
export function remarksOn(
  report: Omit<DecisionReport, 'remarks'>,
  { rule, budget }: RuleFit,
  { presence, clear, isImpossible }: FittedRule,
  withoutPositives: readonly string[] = [],
): string[] {
  const { guarantee, triage, undecided, neverPredicted } = report;
  const limits = budgetText(budget, report.leastF1Neg);
  const remarks: string[] = [];
  if (isImpossible) {
    remarks.push(`No gate is within the budget (${limits}); nothing is predicted.`);
  } else if (presence === null) {
    remarks.push(`Nothing can be predicted within the budget (${limits}).`);
  } else if (rule === 'class' || rule === 'fixed') {
    const kept = report.withinBudget ? 'is within' : 'exceeds';
    remarks.push(`Rule '${rule}' does not use the budget (${limits}); on these rows it ${kept} it.`);
  }
  const isKept = presence !== null && (rule === 'gate' || rule === 'shared');
  if (isKept && !guarantee.holds && guarantee.reason === 'not requested') {
    remarks.push('Nothing is promised about new data: the budget is kept on these rows only.');
  }
  const unit = promiseUnit(budget);
  remarks.push(...withoutGuarantee(guarantee, 'false alarms', unit));
  if (triage !== null) remarks.push(...withoutGuarantee(triage.guarantee, 'missed positives', unit));
  const both = describeBothPromises(report);
  if (both !== undefined) remarks.push(both);
  if (triage !== null && presence !== null && presence === clear) {
    remarks.push('No row needs review: one gate keeps both limits.');
  }
  if (undecided > 0) {
    const rows = undecided === 1 ? 'undecided row counts' : 'undecided rows count';
    remarks.push(`${shownCount(undecided)} ${rows} as neither positive nor negative.`);
  }
  if (neverPredicted.length > 0 && presence !== null) {
    const without = neverPredicted.filter((name) => withoutPositives.includes(name));
    const below = neverPredicted.filter((name) => !withoutPositives.includes(name));
    if (without.length > 0)
      remarks.push(`Never predicted, since there are no positives to fit on: ${listed(without)}.`);
    if (below.length > 0)
      remarks.push(`Never predicted, since no positives pass the gate: ${listed(below)}.`);
  }
  return remarks;
}

/** Says why a requested guarantee is not given, and what it would take. */
function withoutGuarantee(
  guarantee: Guarantee,
  about: 'false alarms' | 'missed positives',
  unit: PromiseUnit,
): string[] {
  if (guarantee.holds) return [];
  if (guarantee.reason === 'adaptive choice') {
    return [
      `The limit on ${about} is approximate: the model or the budget was chosen on these rows. Fit the decision on rows ` +
        'that chose nothing to guarantee it.',
    ];
  }
  if (guarantee.reason !== 'too few negatives' && guarantee.reason !== 'too few positives') return [];
  const { of = 0, needed, smallestRate = 1, ofGroups = false } = guarantee;
  const kind = guarantee.reason === 'too few negatives' ? 'negative' : 'positive';
  const plural = of === 1 ? '' : 's';
  const instances = ofGroups ? `group${plural} ${groupsThatCount(kind, unit)}` : `${kind}${plural}`;
  const more =
    needed === undefined
      ? ` No number of them can guarantee a limit of 0.`
      : ` It takes ${shownCount(needed)}: label ${shownCount(needed - of)} more.`;
  const counted = ofGroups && (unit === 'image' || of === 0) ? ', counted by image,' : ',';
  return [
    `${shownCount(of)} ${instances} ${of === 1 ? 'is' : 'are'} too few to guarantee the limit on ${about}; the smallest rate that ${of === 1 ? 'it' : 'they'} can guarantee is ` +
      `${percentNeeded(smallestRate)}.${more} The limit is kept on these rows${counted} without a guarantee.`,
  ];
}

/**
 * Says which groups a limit counts: a group that also has positives or undecided rows gets no alarm that is surely a false one.
 *
 * @example
 * groupsThatCount('negative', 'group') // 'with negatives only'
 */
function groupsThatCount(kind: 'negative' | 'positive', unit: PromiseUnit): string {
  return kind === 'negative' && unit === 'group' ? 'with negatives only' : `with a ${kind}`;
}

function shownCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** Joins names; shows only the first few of thousands. */
function listed(names: readonly string[]): string {
  const most = 20;
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
