// Decision options: how probabilities become labels; the same for all commands that decide.

import type { FitDecisionOptions } from '@anyclass/core';
import { z } from 'zod';
import { shareField, shareOrNoneField } from '../commandLine/grammar/shares.js';
import { decisionRules } from '../configuration/decisionFields.js';
import { UsageError } from '../errors/usageError.js';
import type { DecisionChange } from '../inference/changedDecision.js';

/** The decision options. None has a default here: the command, the configuration or core provides it. */
export const decisionFields = {
  falseAlarms: shareField()
    .optional()
    .describe('allow at most this share of negatives to get any prediction: 0.01 or 1%; default 5%'),
  missed: shareOrNoneField()
    .optional()
    .describe(
      'clear at most this share of positives; images between both limits are for review; none: without such a limit',
    ),
  per: z
    .enum(['image', 'group'])
    .optional()
    .describe(
      'what the limits count if there are groups: images (default), or whole groups such as patients',
    ),
  confidence: z
    .string()
    .transform(confidenceOf)
    .optional()
    .describe(
      'guarantee --false-alarms on new data with this confidence; none: keep it on the validation split only; default 0.95',
    )
    .meta({ placeholder: '0.95|none' }),
  f1Neg: z
    .string()
    .transform(f1NegOf)
    .optional()
    .describe(
      "instead of --false-alarms, keep at least this F1-Neg; 'at 0.5': the F1-Neg that a threshold of 0.5 gives",
    )
    .meta({ placeholder: "SHARE|'at 0.5'" }),
  beta: z.number().positive().optional().describe('fitted thresholds maximize this Fβ; default 1'),
  rule: z
    .enum(decisionRules)
    .optional()
    .describe(
      'gate: a gate and a threshold per class (default); shared: one threshold for all classes; class: a threshold per class, no gate; fixed: 0.5 for all classes',
    ),
};

/** For decisions that are fitted on scores which were already looked at. */
export const candidatesField = z
  .int()
  .positive()
  .optional()
  .describe(
    'how many models or budgets were compared on the data of the fit; the promise counts them; default 1',
  )
  .meta({ placeholder: 'N' });

/** The values of {@link decisionFields}. */
export interface GivenDecision {
  readonly falseAlarms?: number | undefined;
  /** Null: without this limit, also if the model's own decision has one. */
  readonly missed?: number | null | undefined;
  readonly per?: 'image' | 'group' | undefined;
  readonly confidence?: number | null | undefined;
  readonly f1Neg?: number | 'at 0.5' | undefined;
  readonly beta?: number | undefined;
  readonly rule?: (typeof decisionRules)[number] | undefined;
  readonly candidates?: number | undefined;
}

/** The words that name these limits, for a command that is suggested. */
export function limitWords({ falseAlarms, missed, per, confidence }: GivenDecision): string[] {
  return [
    ...(falseAlarms === undefined ? [] : ['--false-alarms', String(falseAlarms)]),
    ...(missed === undefined ? [] : ['--missed', String(missed ?? 'none')]),
    ...(per === undefined ? [] : ['--per', per]),
    ...(confidence === undefined ? [] : ['--confidence', String(confidence ?? 'none')]),
  ];
}

type Chosen = 'rule' | 'budget' | 'beta' | 'candidates';

/**
 * The requested decision, with only the given options.
 *
 * @example
 * chosenDecision({ falseAlarms: 0.02 }) // { budget: { falseAlarms: 0.02 } }
 * chosenDecision({ missed: 0.1 }) // { budget: { falseAlarms: 0.05, missed: 0.1 } }
 * chosenDecision({}) // {}
 */
export function chosenDecision(given: GivenDecision): Pick<FitDecisionOptions, Chosen> {
  const { budget, ...rest } = requestedChange(given);
  if (budget === undefined || 'f1Neg' in budget) return { ...rest, ...(budget && { budget }) };
  const { falseAlarms = 0.05, missed, per, confidence } = budget;
  return {
    ...rest,
    budget: {
      falseAlarms,
      ...(missed !== undefined && { missed }),
      ...(per === 'group' && { per }),
      ...(confidence !== undefined && { confidence }),
    },
  };
}

/**
 * The requested change of a model's own decision, with only the given options.
 *
 * @example
 * requestedChange({ missed: 0.1 }) // { budget: { missed: 0.1 } }
 */
export function requestedChange(given: GivenDecision): Pick<DecisionChange, Chosen> {
  const { falseAlarms, f1Neg, beta, rule, candidates } = given;
  if (falseAlarms !== undefined && f1Neg !== undefined) {
    throw new UsageError('cannot be combined with a false-alarm budget; choose one', 'f1Neg');
  }
  refuseIdle(given);
  const budget = budgetOf(given);
  return {
    ...(rule !== undefined && { rule }),
    ...(budget && { budget }),
    ...(beta !== undefined && { beta }),
    ...(candidates !== undefined && { candidates }),
  };
}

function budgetOf(given: GivenDecision): DecisionChange['budget'] {
  const { falseAlarms, missed, per, confidence, f1Neg } = given;
  if (f1Neg !== undefined) return { f1Neg };
  if ([falseAlarms, missed, per, confidence].every((value) => value === undefined)) return undefined;
  return {
    ...(falseAlarms !== undefined && { falseAlarms }),
    ...(missed !== undefined && { missed: missed ?? undefined }),
    ...(per !== undefined && { per }),
    ...(confidence !== undefined && { confidence }),
  };
}

/** Throws if an option has no effect, since giving it is probably a mistake. */
function refuseIdle(given: GivenDecision): void {
  const { rule, missed, f1Neg } = given;
  const idleWithF1Neg = (['missed', 'per', 'confidence', 'candidates'] as const).find(
    (name) => given[name] !== undefined,
  );
  if (idleWithF1Neg !== undefined && f1Neg !== undefined) {
    throw new UsageError(
      'has no effect with an F1-Neg to keep; it only applies to a false-alarm budget',
      idleWithF1Neg,
    );
  }
  if (missed !== undefined && rule === 'shared')
    throw new UsageError("has no effect with rule 'shared'; it belongs to rule 'gate'", 'missed');
  if (rule !== 'class' && rule !== 'fixed') return;
  const budgetOptions = ['falseAlarms', 'missed', 'per', 'f1Neg', 'confidence', 'candidates'] as const;
  const idle = ([...budgetOptions, 'beta'] as const).find(
    (name) => given[name] !== undefined && (rule === 'fixed' || name !== 'beta'),
  );
  if (idle === undefined) return;
  const why = rule === 'class' ? 'keeps no budget' : 'fits nothing';
  throw new UsageError(`has no effect with rule '${rule}', which ${why}`, idle);
}

function f1NegOf(text: string, context: z.RefinementCtx<string>): number | 'at 0.5' {
  if (text === 'at 0.5') return text;
  const share = text.trim() === '' ? Number.NaN : Number(text);
  if (share >= 0 && share <= 1) return share;
  context.addIssue({ code: 'custom', message: `expected a number from 0 to 1, or 'at 0.5'; got '${text}'` });
  return z.NEVER;
}

function confidenceOf(text: string, context: z.RefinementCtx<string>): number | null {
  if (text === 'none') return null;
  const confidence = Number(text);
  if (confidence > 0 && confidence < 1) return confidence;
  context.addIssue({ code: 'custom', message: `expected a number between 0 and 1, or none; got '${text}'` });
  return z.NEVER;
}
