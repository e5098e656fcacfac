// A gate from labels that say only whether anything is present. Thresholds per class stay as they were.

import type { Decision, FitDecisionOptions } from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import { fitOnValidation } from '../inference/decide.js';
import type { RowsToFit } from './rowsToFit.js';

/**
 * Fits the gate, and what is cleared, on the presence scores of rows whose classes are not known. The promises need nothing
 * more: they are about presence alone.
 */
export function fitGate(
  before: Decision,
  { scored, isNegative }: RowsToFit,
  fit: FitDecisionOptions,
  note: (text: string) => void,
): Decision {
  if (before.rule !== 'gate' || scored.presence === undefined) {
    throw new UserError(
      `the labels name no classes, which is enough to refit a gate, but the model's rule is '${before.rule}'; label the classes`,
    );
  }
  const { presence, groups, split } = scored;
  const { decision: fitted } = fitOnValidation(
    {
      // One class stands for all of them, and is predicted wherever the gate lets a row pass.
      scores: new Float64Array(presence.length).fill(1),
      presence,
      targets: isNegative.map((value) => (value === undefined ? Number.NaN : Number(!value))),
      classNames: ['any class'],
      ...(split !== undefined && { split }),
      groups,
    },
    { ...fit, kappa: 0 },
    { note },
  );
  note('The labels name no classes: the gate is new, the thresholds per class stay as they were');
  return {
    ...fitted,
    kappa: before.kappa,
    classNames: before.classNames,
    thresholds: before.thresholds,
    presenceFrom: before.presenceFrom,
    report: { ...fitted.report, perClassFBeta: [], neverPredicted: before.report.neverPredicted },
  };
}
