// Many decisions on the same rows, one after another, as a user drags a handle: everything that does not depend on the budget is computed
// once, so that a hundred thousand rows follow the hand. The results are those of `fitDecision` and `measure`, number for number.

import type { DecisionCutoffs } from '../metrics/decisionCutoffs.js';
import { checkDecisionClasses, cutoffsOf } from '../metrics/decisionCutoffs.js';
import { fingerprintOf } from '../metrics/fittedThresholds.js';
import { metricsOfSetting, ranksOf } from '../metrics/measure.js';
import { checkImportance, type MeasureOptions, measurementAt } from '../metrics/measurement.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Scored } from '../metrics/scored.js';
import { checkFit } from '../thresholds/fitThresholds.js';
import type { Decision } from './decision.js';
import { prepareDecisionRows, sampleOf } from './decisionRows.js';
import { checkRows, decisionOf, type FitDecisionOptions, instancesByUnit, ruleFitOf } from './fitDecision.js';
import { fitRule } from './fitRule.js';
import type { CountedInstances } from './instances.js';
import { reportOf } from './report.js';

/** What a decision makes of the explored rows. */
export interface Explored {
  readonly metrics: Metrics;
  /** The outcome of each row, as an index into `OUTCOMES`. */
  readonly outcomes: Uint8Array;
}

export interface DecisionExplorer {
  /** Fits a decision, as `fitDecision` does, and measures it on the same rows, as `measure` does with `allowSameSplit`. */
  fit(options?: FitDecisionOptions): Explored & { readonly decision: Decision };
  /** Measures a given decision on the rows. */
  apply(decision: DecisionCutoffs): Explored;
  /** The presence score of each row. */
  readonly presence: Float64Array;
  /** What each row is: positive, negative or undecided (`ROW_POSITIVE`, …). */
  readonly rowKinds: Uint8Array;
}

/**
 * Prepares rows for many decisions.
 *
 * @example
 * const explorer = decisionExplorer(validation);
 * for (const falseAlarms of [0.01, 0.02, 0.05]) explorer.fit({ budget: { falseAlarms } }).metrics.macroF1
 */
export function decisionExplorer(
  validation: Scored,
  { classImportance }: Pick<MeasureOptions, 'classImportance'> = {},
): DecisionExplorer {
  const rows = prepareDecisionRows(validation, 'many fits');
  if (classImportance !== undefined) checkImportance(classImportance, rows.classNames);
  const sample = { ...sampleOf(rows), kept: { segments: new Map() } };
  const ranks = ranksOf(rows, sample.multiplicities);
  const fingerprint = fingerprintOf(validation);
  const instances = remembered(instancesByUnit(rows));
  const settingOf = (cutoffs: Parameters<typeof measurementAt>[1]) => ({
    ...measurementAt(rows, cutoffs, rows.presence),
    classImportance,
  });
  const explored = (setting: ReturnType<typeof settingOf>): Explored => ({
    metrics: metricsOfSetting(setting, ranks, sample.multiplicities),
    outcomes: setting.rowStates.map((state) => state >> 1),
  });
  return {
    presence: rows.presence,
    rowKinds: rows.rowKinds,
    fit(options = {}) {
      const fit = ruleFitOf(rows, options, instances);
      const isFixed = fit.rule === 'fixed';
      const split = isFixed ? null : checkFit(validation, fit.beta);
      if (!isFixed) checkRows(sample, fit, validation.split);
      const fitted = fitRule(sample, fit);
      const setting = settingOf(cutoffsOf(fitted));
      const decision = decisionOf(fitted, fit, {
        classNames: [...rows.classNames],
        presenceFrom: validation.presence === undefined ? 'scores' : 'given',
        fittedOn: split,
        fingerprint: isFixed ? null : fingerprint,
        report: reportOf(sample, fit, fitted, setting),
      });
      return { decision, ...explored(setting) };
    },
    apply(decision) {
      checkDecisionClasses(decision, rows.classNames);
      return explored(settingOf(cutoffsOf(decision)));
    },
  };
}

type InstancesOf = ReturnType<typeof instancesByUnit>;

function remembered(instancesOf: InstancesOf): InstancesOf {
  const known = new Map<string, CountedInstances>();
  return (ofHighest, unit) => {
    const key = `${ofHighest} ${unit}`;
    const found = known.get(key) ?? instancesOf(ofHighest, unit);
    known.set(key, found);
    return found;
  };
}
