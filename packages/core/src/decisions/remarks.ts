import type { Decision, DecisionReport } from './decision.js';
import type { FittedRule, RuleFit } from './fitRule.js';

/**
 * Describes the false alarms on the data of the fit, with their 95% bound.
 *
 * @example
 * describeFalseAlarms(decision)
 * // '38 of 805 validation negatives (4.7%; at most 6.1% with 95% confidence)'
 */
export function describeFalseAlarms({ report, fittedOn }: Pick<Decision, 'report' | 'fittedOn'>): string {
  const { falseAlarms, negatives, falseAlarmRate, falseAlarmBound } = report;
  const of = `${fittedOn === null ? '' : `${fittedOn} `}negatives`;
  if (falseAlarmRate === null || falseAlarmBound === null) return `no ${of}`;
  const rates = `${percent(falseAlarmRate)}; at most ${percent(falseAlarmBound)} with 95% confidence`;
  return `${falseAlarms} of ${negatives} ${of} (${rates})`;
}

/** Returns what the reader of a decision should know besides its figures. */
export function remarksOn(
  report: Omit<DecisionReport, 'remarks'>,
  { rule, budget, isGrouped }: RuleFit,
  { presence, isImpossible }: FittedRule,
): string[] {
  const { guarantee, negatives, undecided, neverPredicted } = report;
  const remarks: string[] = [];
  if (isImpossible) {
    remarks.push(`No gate is within the budget (${budgetText(budget, report)}); nothing is predicted.`);
  } else if (presence === null) {
    remarks.push(`Nothing can be predicted within the budget (${budgetText(budget, report)}).`);
  } else if (rule === 'class' || rule === 'fixed') {
    const kept = report.withinBudget ? 'is within' : 'exceeds';
    remarks.push(
      `Rule '${rule}' does not use the budget (${budgetText(budget, report)}); on these rows it ${kept} it.`,
    );
  }
  if (!guarantee.holds && guarantee.reason === 'too few negatives') {
    remarks.push(
      `${negatives} negatives are too few to guarantee the budget (${budgetText(budget, report)}); the smallest rate ` +
        `that they can guarantee is ${percent(guarantee.smallestRate ?? 1)}. The budget is met on these rows, without a guarantee.`,
    );
  }
  if (isGrouped) {
    remarks.push(
      'Rows in the same group are not independent, so neither the bound on false alarms nor a guarantee holds.',
    );
  }
  if (undecided > 0) {
    remarks.push(`${undecided} undecided rows count as neither positive nor negative.`);
  }
  if (neverPredicted.length > 0 && presence !== null) {
    remarks.push(`Never predicted, since no positives pass the gate: ${listed(neverPredicted)}.`);
  }
  return remarks;
}

/** Joins names; shows only the first few of thousands. */
function listed(names: readonly string[]): string {
  const most = 20;
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

function budgetText(budget: RuleFit['budget'], { leastF1Neg }: Omit<DecisionReport, 'remarks'>): string {
  if ('f1Neg' in budget) return `F1-Neg of at least ${percent(leastF1Neg ?? 0)}`;
  const { falseAlarms, confidence = null } = budget;
  const sure = confidence === null ? '' : ` with ${percent(confidence)} confidence`;
  return `at most ${percent(falseAlarms)} false alarms${sure}`;
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))}%`;
}
