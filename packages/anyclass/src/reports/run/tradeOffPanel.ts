// The fourth answer: what another budget would buy, and which one is chosen.

import {
  bootstrapAt,
  type Decision,
  type FalseAlarmBudget,
  judgedCurve,
  presenceOfRows,
  ROW_NEGATIVE,
  type Scored,
  smallestPromise,
} from '@anyclass/core';
import {
  countText,
  escaped,
  note,
  panel,
  percentText,
  shortPercent,
  type TradeOffStep,
  tradeOff,
} from '@anyclass/kit';
import type { DecidedMetrics } from '../../events/judgment.js';
import type { DecisionInUse, JudgedMaterial } from './material.js';
import { type Outcomes, outcomesOf } from './outcomes.js';

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
  const absence = !hasNegatives(scored)
    ? 'There are no negatives here, so nothing trades finds for false alarms.'
    : !decided
      ? 'No decision was judged here. A trade-off needs one with a false-alarm budget: fit it on other data with negatives, such as validation.'
      : !budget
        ? 'This decision keeps no false-alarm budget. One with a budget, such as 5%, has a trade-off.'
        : !fitted || !hasNegatives(fitted)
          ? 'The scores that the decision was fitted on are not at hand, so other budgets cannot be tried here.'
          : undefined;
  if (!decided || !fitted || !budget || absence !== undefined) return panel(title, '', note(absence ?? ''));
  const guarantee = decided.report?.guarantee;
  const { falseAlarms, confidence = 0.95 } = budget;
  const least = guarantee?.holds
    ? smallestPromise(guarantee.of, (1 - guarantee.confidence) / guarantee.candidates)
    : 0;
  const wanted = [...new Set([...budgets, falseAlarms])]
    .filter((budget) => budget >= least)
    .sort((a, b) => a - b);
  const steps = stepsOf(
    fitted,
    scored,
    wanted.map((each) => ({ ...budget, falseAlarms: each, confidence })),
    decided,
  );
  const chosen = {
    budget: falseAlarms,
    found: alarmShare(inUse.outcomes),
    f1: inUse.metrics.macroF1,
  };
  const options = {
    steps: steps.map((step) => (step.budget === falseAlarms ? { ...step, ...chosen } : step)),
    chosen,
    positives: 'positives',
    ...(least > 0 && { leastPromised: least }),
  };
  const remark = `fitted on ${decided.fittedOn ?? 'validation'}, seen on ${judged.split === '' ? 'these scores' : judged.split}`;
  return panel(
    title,
    remark,
    `<div class="wide-only">${tradeOff(options)}</div><div class="phone-only">${tradeOff({ ...options, height: 96 })}</div><p class="note second"><b class="phone-only">The trade-off. </b>${escaped(explanation(steps, falseAlarms, least, material))}</p>`,
  );
}

function stepsOf(
  fitted: Scored,
  judged: Scored,
  wanted: readonly FalseAlarmBudget[],
  { rule, beta, report }: DecidedMetrics,
): TradeOffStep[] {
  const curve = judgedCurve(fitted, judged, wanted, {
    rule: rule === 'shared' ? 'shared' : 'gate',
    beta,
    ...(report?.guarantee.holds && { candidates: report.guarantee.candidates }),
  });
  // On few rows, several budgets give the same decision.
  const distinct = new Map(curve.map(({ decision }) => [cutoffsKey(decision), decision]));
  const intervals =
    judged.scores.length <= mostForIntervals
      ? bootstrapAt(judged, [...distinct.values()], { replicates, confidence: 0.95 })
      : [];
  const places = [...distinct.keys()];
  return curve.map(({ metrics, decision }, i) => {
    const interval = intervals[places.indexOf(cutoffsKey(decision))]?.overall.macroF1;
    return {
      budget: wanted[i]!.falseAlarms,
      found: alarmShare(outcomesOf(judged, decision)),
      f1: metrics.macroF1,
      ...(interval && { low: interval.low, high: interval.high }),
    };
  });
}

/** The same for decisions that predict the same. */
function cutoffsKey({ presence, thresholds }: Decision): string {
  return JSON.stringify([presence, thresholds]);
}

/** The share of positives with an alarm, under whatever name, as the headline counts them. */
function alarmShare({ work: { clear, review, alarm } }: Outcomes): number {
  return alarm.positive / Math.max(1, clear.positive + (review?.positive ?? 0) + alarm.positive);
}

function explanation(
  steps: readonly TradeOffStep[],
  chosen: number,
  least: number,
  { judged: { decided }, instance }: JudgedMaterial,
): string {
  const { report, fittedOn } = decided ?? {};
  const own = steps.find(({ budget }) => budget === chosen);
  const wider = steps.find(({ budget }) => budget >= 2 * chosen);
  const band = steps.some(({ low }) => low !== undefined)
    ? `Band: 95% interval of F1 over ${instance}s. `
    : '';
  const next =
    own && wider
      ? percentText(wider.found) === percentText(own.found)
        ? `At ${shortPercent(wider.budget)} it would find as many. `
        : `At ${shortPercent(wider.budget)} it would find ${percentText(wider.found)}% instead of ${percentText(own.found)}%. `
      : '';
  const limit =
    least > 0
      ? `Below ${shortPercent(least)} nothing can be promised with ${unitsText(report)} in ${fittedOn ?? 'validation'}. `
      : '';
  return `${band}${next}${limit}Another budget needs no retraining.`;
}

/** What the promise rests on. */
function unitsText(report: DecidedMetrics['report'] | undefined): string {
  const guarantee = report?.guarantee;
  if (!guarantee?.holds || guarantee.groups === null) return `${countText(report?.negatives ?? 0)} negatives`;
  return `${countText(guarantee.of)} groups ${guarantee.unit === 'group' ? 'without positives' : 'with a negative'}`;
}

function hasNegatives({ targets, classNames }: Scored): boolean {
  return presenceOfRows(targets, classNames.length).includes(ROW_NEGATIVE);
}
