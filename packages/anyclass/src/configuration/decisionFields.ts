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
    falseAlarms: z
      .number()
      .min(0)
      .lt(1)
      .optional()
      .describe('at most this share of negatives may get a label; default 0.05 unless f1Neg is set'),
    missed: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe(
        'gate: at most this share of positives may be cleared; rows between the two limits are for review',
      ),
    per: z
      .enum(['image', 'group'])
      .default('image')
      .describe(
        'what the limits count if rows have groups: a random image of a random group, or whole groups',
      ),
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
    candidates: z
      .union([z.int().positive(), z.literal('adaptive')])
      .default(1)
      .describe(
        'how many runs are compared on validation before one of them is used, for the promise to count; `adaptive`: a search chooses them, so the promise is approximate',
      ),
  })
  .superRefine(({ rule, falseAlarms, missed, per, f1Neg, threshold }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (missed !== undefined && rule !== 'gate') refuse('missed', 'only applies to rule gate');
    if (missed !== undefined && f1Neg !== undefined)
      refuse('missed', 'has no effect with f1Neg; set falseAlarms instead');
    if (per === 'group' && f1Neg !== undefined)
      refuse('per', 'has no effect with f1Neg; set falseAlarms instead');
    if (falseAlarms !== undefined && f1Neg !== undefined)
      refuse('f1Neg', 'set falseAlarms or f1Neg, not both');
    if (threshold !== undefined && rule !== 'fixed') refuse('threshold', 'only applies to rule fixed');
  });

export type DecisionSettings = z.output<typeof decisionFields>;

/**
 * A configuration's decision as options of `fitDecision`.
 *
 * @example
 * fitOptions({ rule: 'gate', falseAlarms: 0.02, per: 'image', confidence: 0.95, beta: 1 })
 * // { rule: 'gate', budget: { falseAlarms: 0.02, confidence: 0.95 }, beta: 1 }
 */
export function fitOptions(settings: DecisionSettings): FitDecisionOptions {
  const { rule, falseAlarms = 0.05, missed, per, f1Neg, confidence, beta, threshold } = settings;
  const limits = {
    falseAlarms,
    confidence,
    ...(missed !== undefined && { missed }),
    ...(per === 'group' && { per }),
  };
  return {
    rule,
    budget: f1Neg === undefined ? limits : { f1Neg },
    beta,
    ...(rule === 'fixed' && { threshold: threshold ?? 0.5 }),
  };
}
