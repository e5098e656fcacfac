// Describes in words how runs are decided.

import {
  type Candidates,
  type DecisionBudget,
  type DecisionRule,
  describeGuarantee,
  type Guarantee,
  percentNeeded,
} from '@anyclass/core';
import { shortPercent } from '@anyclass/kit';

/** A decision rule and the budget it is fitted within. */
export interface DecisionChoice {
  readonly rule: DecisionRule;
  readonly budget: DecisionBudget;
  /** Fitted thresholds maximize this Fβ. */
  readonly beta: number;
  /** Among how many candidates, such as epochs or runs, validation chose. Default 1. */
  readonly candidates?: Candidates;
}

/**
 * Says at which decision runs are evaluated; follows a metric in a sentence.
 *
 * @example
 * decisionPhrase({ rule: 'gate', budget: { falseAlarms: 0.05 } }) // 'at 5% false alarms'
 */
export function decisionPhrase({ rule, budget }: Omit<DecisionChoice, 'beta'>): string {
  if (rule === 'fixed') return 'at 0.5';
  if (rule === 'class') return 'with a threshold per class';
  return `at ${budgetText(budget)}${rule === 'shared' ? ' with one threshold for all classes' : ''}`;
}

/**
 * Says what the budget guarantees; starts a note. The best of several runs is chosen on the images that its gate was fitted
 * on, which breaks a guarantee that does not count them.
 */
export function promiseText(
  { rule, budget }: DecisionChoice,
  guarantee: Guarantee,
  fittedOn = 'validation',
): string {
  if (rule === 'fixed') return 'Every class at 0.5';
  if (rule === 'class') return 'Thresholds per class that maximize Fβ, whatever the false alarms';
  const kept = `Decisions fitted on ${fittedOn} ${decisionPhrase({ rule, budget })}`;
  if (guarantee.holds) return `${kept}; on new data, ${describeGuarantee(guarantee)}`;
  if (guarantee.reason === 'adaptive choice')
    return `${kept}; on new data this is approximate for a run that is chosen by these results${guarantee.ofGroups ? ', and each group counts once' : ''}. The decisions in the run folders count the runs that were planned together`;
  if (guarantee.reason !== 'too few negatives') return `${kept}, kept there without a guarantee`;
  const least = percentNeeded(guarantee.smallestRate ?? 1);
  return `${kept}, kept there without a guarantee: ${fittedOn} has too few negatives to guarantee less than ${least}`;
}

function budgetText(budget: DecisionBudget): string {
  if ('falseAlarms' in budget) return `${shortPercent(budget.falseAlarms)} false alarms`;
  return budget.f1Neg === 'at 0.5'
    ? 'the F1-Neg of 0.5'
    : `an F1-Neg of at least ${shortPercent(budget.f1Neg)}`;
}
