// The fourth answer: what another budget would buy, and which one is chosen.

import {
  bootstrapAt,
  type DecisionBudget,
  judgedCurve,
  presenceOfRows,
  ROW_NEGATIVE,
  type Scored,
  smallestPromise,
} from '@anyclass/core';
import { note, panel, percentText, shortPercent, type TradeOffStep, tradeOff } from '@anyclass/kit';
import type { DecidedMetrics } from '../../events/judgment.js';
import type { DecisionInUse, JudgedMaterial } from './material.js';

const budgets = [0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15] as const;
const replicates = 200;
/** Intervals of larger scores would take longer than the rest of the page. */
const mostForIntervals = 400_000;

/** Returns the trade-off; a remark if it cannot be drawn. */
export function tradeOffPanel(material: JudgedMaterial, inUse: DecisionInUse): string {
  const { judged, fitted, scored } = material;
  const { decided } = judged;
  const title = 'The trade-off';
  const budget = decided?.budget && 'falseAlarms' in decided.budget ? decided.budget : undefined;
  if (!decided || !fitted || !budget || !hasNegatives(fitted) || !hasNegatives(scored))
    return panel(
      title,
      '',
      note('A trade-off needs a decision within a false-alarm budget, and negatives to fit and judge it on.'),
    );
  const isPromised = decided.report?.guarantee.holds ?? false;
  const { falseAlarms, confidence = 0.95 } = budget;
  const least =
    !isPromised || confidence === null ? 0 : smallestPromise(decided.report?.negatives ?? 0, 1 - confidence);
  const wanted = [...new Set([...budgets, falseAlarms])]
    .filter((budget) => budget >= least)
    .sort((a, b) => a - b);
  const steps = stepsOf(fitted, scored, wanted, confidence, decided);
  const chosen = {
    budget: falseAlarms,
    found: inUse.metrics.recallAny,
    f1: inUse.metrics.macroF1,
  };
  const options = {
    steps: steps.map((step) => (step.budget === falseAlarms ? { ...step, ...chosen } : step)),
    chosen,
    positives: 'positives',
    ...(least > 0 && { leastPromised: least }),
  };
  const remark = `fitted on ${decided.fittedOn ?? 'validation'}, seen on ${judged.split === '' ? 'these' : judged.split}`;
  return panel(
    title,
    remark,
    `<div class="wide-only">${tradeOff(options)}</div><div class="phone-only">${tradeOff({ ...options, height: 96 })}</div><div class="second">${note(explanation(steps, falseAlarms, least, decided))}</div>`,
  );
}

function stepsOf(
  fitted: Scored,
  judged: Scored,
  wanted: readonly number[],
  confidence: number | null,
  { rule, beta }: DecidedMetrics,
): TradeOffStep[] {
  const choices = wanted.map((falseAlarms): DecisionBudget => ({ falseAlarms, confidence }));
  const curve = judgedCurve(fitted, judged, choices, { rule: rule === 'shared' ? 'shared' : 'gate', beta });
  const intervals =
    judged.scores.length <= mostForIntervals
      ? bootstrapAt(
          judged,
          curve.map(({ decision }) => decision),
          { replicates, confidence: 0.95 },
        )
      : [];
  return curve.map(({ metrics }, i) => {
    const interval = intervals[i]?.overall.macroF1;
    return {
      budget: wanted[i]!,
      found: metrics.recallAny,
      f1: metrics.macroF1,
      ...(interval && { low: interval.low, high: interval.high }),
    };
  });
}

function explanation(
  steps: readonly TradeOffStep[],
  chosen: number,
  least: number,
  { report, fittedOn }: DecidedMetrics,
): string {
  const own = steps.find(({ budget }) => budget === chosen);
  const wider = steps.find(({ budget }) => budget >= 2 * chosen);
  const band = steps.some(({ low }) => low !== undefined) ? 'Band: 95% interval of F1 over images. ' : '';
  const next =
    own && wider
      ? `At ${shortPercent(wider.budget)} it would find ${percentText(wider.found)}% instead of ${percentText(own.found)}%. `
      : '';
  const limit =
    least > 0
      ? `Below ${shortPercent(least)} nothing can be promised with ${(report?.negatives ?? 0).toLocaleString('en-US')} negatives in ${fittedOn ?? 'validation'}. `
      : '';
  return `${band}${next}${limit}Another budget needs no training: see the commands below.`;
}

function hasNegatives({ targets, classNames }: Scored): boolean {
  return presenceOfRows(targets, classNames.length).includes(ROW_NEGATIVE);
}
