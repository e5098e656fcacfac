// The decision fields of a configuration: how probabilities become labels.

import type { FitDecisionOptions } from '@anyclass/core';
import { z } from 'zod';

const share = z.number().min(0).max(1);

export const decisionRules = ['gate', 'shared', 'class', 'fixed'] as const;

export const decisionFields = z
  .strictObject({
    rule: z
      .enum(decisionRules)
      .default('gate')
      .describe(
        'gate: a presence gate and a threshold per class; shared: one threshold; class: per class without a gate; fixed: a given threshold',
      ),
    falseAlarms: share
      .optional()
      .describe('at most this share of negatives may get a label; default 0.05 unless f1Neg is set'),
    f1Neg: z
      .union([share, z.literal('at 0.5')])
      .optional()
      .describe(
        "instead of falseAlarms: keep at least this F1-Neg, or 'at 0.5' for that of a threshold of 0.5",
      ),
    confidence: z
      .number()
      .gt(0)
      .lt(1)
      .nullable()
      .default(0.95)
      .describe('confidence that new data stays within falseAlarms too; null: on validation only'),
    beta: z.number().positive().default(1).describe('thresholds maximize this Fβ'),
    threshold: share.optional().describe('rule fixed: the threshold for all classes; default 0.5'),
  })
  .superRefine(({ rule, falseAlarms, f1Neg, threshold }, context) => {
    if (falseAlarms !== undefined && f1Neg !== undefined)
      context.addIssue({ code: 'custom', path: ['f1Neg'], message: 'set falseAlarms or f1Neg, not both' });
    if (threshold !== undefined && rule !== 'fixed')
      context.addIssue({ code: 'custom', path: ['threshold'], message: 'only applies to rule fixed' });
  });

export type DecisionSettings = z.output<typeof decisionFields>;

/**
 * A configuration's decision as options of `fitDecision`.
 *
 * @example
 * fitOptions({ rule: 'gate', falseAlarms: 0.02, confidence: 0.95, beta: 1 })
 * // { rule: 'gate', budget: { falseAlarms: 0.02, confidence: 0.95 }, beta: 1 }
 */
export function fitOptions(settings: DecisionSettings): FitDecisionOptions {
  const { rule, falseAlarms = 0.05, f1Neg, confidence, beta, threshold } = settings;
  return {
    rule,
    budget: f1Neg === undefined ? { falseAlarms, confidence } : { f1Neg },
    beta,
    ...(rule === 'fixed' && { threshold: threshold ?? 0.5 }),
  };
}
