// The decision that the options of predict and serve request.

import { z } from 'zod';
import { UsageError } from '../errors/usageError.js';
import type { ChosenDecision } from '../inference/modelDecision.js';
import { type GivenDecision, requestedChange } from './decisionOptions.js';

export const thresholdField = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .describe("one threshold for all classes, instead of the model's decision");

/** Returns the decision that the options request, or undefined for the model's own. */
export function requestedDecision(
  options: GivenDecision & { readonly threshold?: number | undefined },
): ChosenDecision | undefined {
  const { threshold, rule, falseAlarms, missed, per, f1Neg, confidence, beta, candidates } = options;
  const given = { falseAlarms, missed, per, f1Neg, confidence, beta, candidates };
  if (threshold !== undefined) {
    const hasOthers = Object.values(given).some((value) => value !== undefined);
    if (hasOthers || (rule !== undefined && rule !== 'fixed'))
      throw new UsageError('cannot be combined with other decision options', 'threshold');
    return threshold;
  }
  const fit = requestedChange({ ...given, rule });
  return Object.keys(fit).length === 0 ? undefined : fit;
}
