// Describes in words how runs are decided.

import {
  type Candidates,
  type DecisionBudget,
  type DecisionRule,
  describeGuarantee,
  type Guarantee,
  type NoGuarantee,
  percentNeeded,
  promiseUnit,
} from '@anyclass/core';
import { shortPercent } from '@anyclass/kit';
import { listed } from '../errors/listed.js';

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
  const kept = `Decisions fitted on ${fittedOn} ${decisionPhrase({ rule, budget })}${otherLimits(budget)}`;
  if (guarantee.holds) return `${kept}; on new data, ${describeGuarantee(guarantee)}`;
  if (guarantee.reason === 'adaptive choice')
    return `${kept}; on new data this is approximate for a run that is chosen by these results${restText(guarantee, budget)}. The decision in each run folder is that of its configuration and counts the runs that were planned together`;
  if (guarantee.reason !== 'too few negatives') return `${kept}, kept there without a guarantee`;
  const least = percentNeeded(guarantee.smallestRate ?? 1);
  const few = guarantee.ofGroups ? `groups ${groupsWithNegatives(budget)}` : 'negatives';
  return `${kept}, kept there without a guarantee: ${fittedOn} has too few ${few} to guarantee less than ${least}`;
}

/** What a budget limits besides false alarms of images. */
function otherLimits(budget: DecisionBudget): string {
  if (!('falseAlarms' in budget)) return '';
  const { missed } = budget;
  return `${missed === undefined ? '' : ` and at most ${shortPercent(missed)} of positives cleared`}${promiseUnit(budget) === 'group' ? ', of whole groups' : ''}`;
}

/** What a limit on new data rests on. */
function restText({ of, ofGroups }: NoGuarantee, budget: DecisionBudget): string {
  if (of === undefined) return '';
  const count = of.toLocaleString('en-US');
  return ofGroups
    ? `, resting on ${count} groups ${groupsWithNegatives(budget)}, each of which counts once`
    : `, resting on ${count} negatives`;
}

function groupsWithNegatives(budget: DecisionBudget): string {
  return promiseUnit(budget) === 'group' ? 'with negatives only' : 'with a negative';
}

/**
 * Names the classes that the decisions of groups of runs can never predict; empty without any.
 *
 * @example
 * neverText([{ label: 'bce', neverPredicted: ['Hernia'] }]) // ' Never predicted, with no positive to fit on or none above the gate: Hernia (bce).'
 */
export function neverText(
  groups: readonly { readonly label: string; readonly neverPredicted: readonly string[] }[],
): string {
  const labelsOf = new Map<string, string[]>();
  for (const { label, neverPredicted } of groups)
    for (const name of neverPredicted) labelsOf.set(name, [...(labelsOf.get(name) ?? []), label]);
  if (labelsOf.size === 0) return '';
  const names = Array.from(labelsOf, ([name, labels]) =>
    labels.length === groups.length ? name : `${name} (${labels.join(', ')})`,
  );
  return ` Never predicted, with no positive to fit on or none above the gate: ${listed(names, 8)}.`;
}

function budgetText(budget: DecisionBudget): string {
  if ('falseAlarms' in budget) return `${shortPercent(budget.falseAlarms)} false alarms`;
  return budget.f1Neg === 'at 0.5'
    ? 'the F1-Neg of 0.5'
    : `an F1-Neg of at least ${shortPercent(budget.f1Neg)}`;
}
