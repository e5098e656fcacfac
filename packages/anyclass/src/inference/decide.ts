// Fits calibration and decision on validation once the weights are chosen: whether to calibrate, and how
// probabilities become labels.

import {
  type Calibration,
  chooseCalibration,
  type Decision,
  describeFalseAlarms,
  type FitDecisionOptions,
  fitMeasuredDecision,
  type Metrics,
  presenceOfRows,
  ROW_NEGATIVE,
  type Scored,
} from '@anyclass/core';
import { UserError } from '../errors/userError.js';

/** No calibration, or a method that is used only if it improves the probabilities on held-out rows. */
export type CalibrationMethod = 'temperature' | 'platt' | 'none';

/**
 * Returns a calibration that improves the cross-validated log loss; undefined if none does or with 'none'.
 *
 * @example
 * helpfulCalibration(validation, 'temperature')?.kind // 'temperature'
 */
export function helpfulCalibration(validation: Scored, method: CalibrationMethod): Calibration | undefined {
  const rows = validation.targets.length / validation.classNames.length;
  if (method === 'none' || rows < 10) return undefined;
  return chooseCalibration(validation, { method }).calibration;
}

export interface FittedDecision {
  readonly decision: Decision;
  /** Metrics of the decision on the data that it was fitted on. */
  readonly validation: Metrics;
}

/**
 * Fits a decision. Without negatives there can be no false-alarm budget. A run that has been trained then gets
 * a threshold per class with a `note` (`orPerClass`); everyone else asked for a budget and gets an error.
 *
 * @throws UserError if nothing can be fitted because there are no positives, or no negatives
 */
export function fitOnValidation(
  validation: Scored,
  options: FitDecisionOptions,
  {
    classImportance,
    orPerClass = false,
    note = () => {},
  }: {
    readonly classImportance?: readonly number[] | undefined;
    readonly orPerClass?: boolean;
    readonly note?: (text: string) => void;
  } = {},
): FittedDecision {
  const needsNegatives = options.rule !== 'fixed' && options.rule !== 'class';
  const isWithoutNegatives =
    needsNegatives &&
    !presenceOfRows(validation.targets, validation.classNames.length).includes(ROW_NEGATIVE);
  if (isWithoutNegatives && !orPerClass) {
    throw new UserError(
      `${validation.split ?? 'validation'} has no negatives, so no false-alarm budget can be kept; fit on data with negatives, or set rule to class for a threshold per class`,
    );
  }
  if (isWithoutNegatives)
    note(
      'No negatives in validation: no false-alarm budget can be kept, and a threshold per class is fitted instead',
    );
  const { budget: _budget, ...rest } = options;
  const { decision, metrics } = asUserError(() =>
    fitMeasuredDecision(
      validation,
      isWithoutNegatives ? { ...rest, rule: 'class' } : options,
      classImportance && { classImportance },
    ),
  );
  for (const remark of decision.report.remarks) note(remark);
  return { decision, validation: metrics };
}

/**
 * Describes a fitted decision in a sentence.
 *
 * @example
 * decisionText(fitted) // 'gate on validation: F1 34.21, false alarms 38 of 805 validation negatives (4.7%; at most 6.1% …)'
 */
export function decisionText({ decision, validation }: FittedDecision): string {
  const f1 = (100 * validation.macroF1).toFixed(2);
  return `${decision.rule} on ${decision.fittedOn ?? 'validation'}: F1 ${f1}, false alarms ${describeFalseAlarms(decision)}`;
}

/** Errors that core throws here are caused by the data or the options. */
function asUserError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof RangeError ? new UserError(error.message, { cause: error }) : error;
  }
}
