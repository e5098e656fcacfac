// How probabilities become labels, as options; the same for every command that decides.

import { z } from 'zod';
import { type DecisionSettings, decisionFields, decisionRules } from '../configuration/decisionFields.js';
import type { PlainObject } from '../configuration/overrides.js';
import { UsageError } from '../errors/usageError.js';

export const decisionOptions = {
  rule: z
    .enum(decisionRules)
    .optional()
    .describe(
      'how labels are decided: by a presence gate (default), one shared threshold, a threshold per class, or a fixed one',
    ),
  falseAlarms: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('share of negatives that may get a label, such as 0.02; default 0.05'),
  f1Neg: z
    .string()
    .optional()
    .describe("in place of --false-alarms: least F1-Neg, or 'at 0.5' for what a threshold of 0.5 gives")
    .meta({ placeholder: "N|'at 0.5'" }),
  confidence: z
    .string()
    .optional()
    .describe('how sure to be that new data keeps the false alarms too; default 0.95, none for no guarantee')
    .meta({ placeholder: 'N|none' }),
  beta: z.number().positive().optional().describe('thresholds maximize this Fβ; default 1'),
};

const schema = z.object(decisionOptions);
export type DecisionOptions = z.output<typeof schema>;

/** The fields of `evaluation.decision` that options give; undefined where none does. */
export function givenDecision(options: DecisionOptions): PlainObject | undefined {
  const { rule, falseAlarms, beta } = options;
  const f1Neg = options.f1Neg === undefined ? undefined : numberOr(options.f1Neg, 'at 0.5', 'f1Neg');
  const confidence =
    options.confidence === undefined ? undefined : numberOr(options.confidence, 'none', 'confidence');
  const fields = { rule, falseAlarms, f1Neg, confidence: confidence === 'none' ? null : confidence, beta };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The same with the defaults of the others; undefined where no option is given. */
export function chosenDecision(options: DecisionOptions): DecisionSettings | undefined {
  const given = givenDecision(options);
  if (!given) return undefined;
  const result = decisionFields.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UsageError(issue?.message ?? 'is invalid', String(issue?.path[0] ?? 'rule'));
}

function numberOr<Word extends string>(text: string, word: Word, option: string): number | Word {
  if (text === word) return word;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new UsageError(`'${text}' is neither a number nor '${word}'`, option);
  return value;
}
