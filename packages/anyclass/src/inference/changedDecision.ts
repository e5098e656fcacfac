// What a user asks of a model's decision, and how the rest stays as it was.

import type { Decision, DecisionBudget, FalseAlarmBudget, FitDecisionOptions } from '@anyclass/core';

/**
 * Options for refitting a decision. What is not given stays as in the decision that it replaces, as far as it applies to the
 * rule: a limit on missed positives, whole groups, β. Undefined removes a limit.
 */
export interface DecisionChange extends Omit<FitDecisionOptions, 'budget'> {
  readonly budget?:
    | { readonly [Field in keyof FalseAlarmBudget]?: FalseAlarmBudget[Field] | undefined }
    | Extract<DecisionBudget, { f1Neg: unknown }>;
}

/**
 * Returns the options of a refit.
 *
 * @example
 * // A model that promises at most 5% false alarms per patient, and at most 10% of them missed:
 * changedDecision(own, { budget: { falseAlarms: 0.02 } }).budget // { falseAlarms: 0.02, missed: 0.1, per: 'group', … }
 */
export function changedDecision(own: Decision | undefined, change: DecisionChange): FitDecisionOptions {
  const { budget: changed, ...rest } = change;
  const rule = rest.rule ?? ruleFor(own?.rule, changed);
  const { beta = own?.beta, kappa = own?.rule === rule ? own.kappa : undefined } = rest;
  return {
    ...rest,
    rule,
    budget: budgetFor(own?.budget, changed, rule),
    ...(beta !== undefined && { beta }),
    ...(kappa !== undefined && { kappa }),
  };
}

type Rule = Decision['rule'];

/** Only gates and shared thresholds keep budgets, and only gates keep one on missed positives. */
function ruleFor(own: Rule = 'gate', changed: DecisionChange['budget']): Rule {
  if (changed === undefined) return own;
  const isKept = own === 'gate' || (own === 'shared' && !('missed' in changed));
  return isKept ? own : 'gate';
}

function budgetFor(
  own: DecisionBudget | undefined,
  changed: DecisionChange['budget'],
  rule: Rule,
): DecisionBudget {
  if (changed && 'f1Neg' in changed) return changed;
  if (own && 'f1Neg' in own && changed === undefined) return own;
  const before: Partial<FalseAlarmBudget> = own && 'falseAlarms' in own ? own : {};
  const { falseAlarms = 0.05, missed, per, confidence } = { ...before, ...changed };
  return {
    falseAlarms,
    ...(missed !== undefined && rule === 'gate' && { missed }),
    ...(per !== undefined && { per }),
    ...(confidence !== undefined && { confidence }),
  };
}
