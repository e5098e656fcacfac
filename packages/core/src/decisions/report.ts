import { countPredicted, timesOf } from '../metrics/classCounts.js';
import { cutoffsOf } from '../metrics/decisionCutoffs.js';
import { falseAlarmRateByGroup } from '../metrics/groupRates.js';
import { countRows, passingMultiplicities } from '../metrics/measure.js';
import { type Measurement, measurementAt } from '../metrics/measurement.js';
import type { Outcome } from '../metrics/outcomes.js';
import { fBeta } from '../metrics/rates.js';
import { falseAlarmUpperBound } from './binomialBounds.js';
import { negativeF1 } from './budget.js';
import type { DecisionReport, TriageReport } from './decision.js';
import type { DecisionSample } from './decisionRows.js';
import type { FittedRule, RuleFit } from './fitRule.js';
import { remarksOn } from './remarks.js';

const BOUND_CONFIDENCE = 0.95;

/** Reports how a fitted rule performs on the rows of its fit. */
export function reportOf(
  { rows, multiplicities, totals }: DecisionSample,
  fit: RuleFit,
  fitted: FittedRule,
  setting: Measurement = measurementAt(rows, cutoffsOf(fitted), rows.presence),
): DecisionReport {
  const { limit, guarantee } = fitted;
  const { positives, negatives, undecided } = totals;
  const cutoffs = cutoffsOf(fitted);
  const passing = passingMultiplicities(setting, multiplicities);
  const perClassFBeta = rows.classes.map((entries, j) => {
    const { truePositives, falsePositives } = countPredicted(entries, setting.predicted[j]!, passing);
    const falseNegatives = timesOf(rows.columns[j]!.presentRows, multiplicities) - truePositives;
    return fBeta({ truePositives, falsePositives, falseNegatives }, fit.beta);
  });
  const { anyClass, outcomes } = countRows(setting, multiplicities);
  const { falsePositives: falseAlarms, falseNegatives: missed } = anyClass;
  const byGroup = falseAlarmRateByGroup(setting, multiplicities);
  const groups = rows.grouping?.names.length ?? null;
  const isIndependent = groups === null || groups === rows.rows;
  const report = {
    positives,
    negatives,
    undecided,
    groups,
    falseAlarms,
    falseAlarmRate: negatives === 0 ? null : falseAlarms / negatives,
    falseAlarmBound:
      negatives === 0 || !isIndependent
        ? null
        : falseAlarmUpperBound(falseAlarms, negatives, BOUND_CONFIDENCE),
    falseAlarmRateByGroup: byGroup,
    f1Neg: negativeF1(totals, falseAlarms, missed),
    leastF1Neg: limit.leastF1Neg,
    macroFBeta: perClassFBeta.reduce((sum, value) => sum + value, 0) / perClassFBeta.length,
    perClassFBeta,
    withinBudget: fitted.isKept || limit.within(falseAlarms, missed),
    guarantee,
    triage: triageOf(outcomes, positives, fitted),
    neverPredicted: rows.classNames.filter((_, j) => cutoffs.thresholds[j] === Number.POSITIVE_INFINITY),
  };
  const withoutPositives = rows.classNames.filter(
    (_, j) => timesOf(rows.columns[j]!.presentRows, multiplicities) === 0,
  );
  return { ...report, remarks: remarksOn(report, fit, fitted, withoutPositives) };
}

function triageOf(
  outcomes: ReturnType<typeof countRows>['outcomes'],
  positives: number,
  { missedGuarantee }: FittedRule,
): TriageReport | null {
  if (missedGuarantee === null) return null;
  const { positives: ofPositives, negatives: ofNegatives, undecided } = outcomes;
  const all = (outcome: Outcome) => ofPositives[outcome] + ofNegatives[outcome] + undecided[outcome];
  return {
    rows: { clear: all('clear'), review: all('review'), alarm: all('alarm') },
    positives: ofPositives,
    negatives: ofNegatives,
    missedRate: ofPositives.clear / positives,
    guarantee: missedGuarantee,
  };
}
