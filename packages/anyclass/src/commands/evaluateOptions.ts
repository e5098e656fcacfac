// Options of `evaluate`, and which of them go together.

import { z } from 'zod';
import { flagOf } from '../commandLine/fields.js';
import { shareField } from '../commandLine/grammar/shares.js';
import { splitNames } from '../data/dataset/dataset.js';
import { UsageError } from '../errors/usageError.js';
import { deviceField, force, settingOption } from './datasetOptions.js';
import { candidatesField, decisionFields } from './decisionOptions.js';

export const evaluateOptions = z.object({
  model: z.string().optional().describe('a run, a model.safetensors, or an exported .onnx'),
  dataset: z.string().optional().describe("dataset to evaluate on; default the run's own"),
  split: z
    .enum([...splitNames, 'all'])
    .optional()
    .describe(
      "split to evaluate; default test if it has labels, else validation; all rows of data that is not the model's own and has no splits",
    ),
  scores: z
    .string()
    .optional()
    .describe('evaluate these probabilities; does not load libtorch')
    .meta({ placeholder: 'CSV' }),
  labels: z.string().optional().describe('labels for --scores').meta({ placeholder: 'CSV' }),
  fitScores: z
    .string()
    .optional()
    .describe('fit the decision on these probabilities')
    .meta({ placeholder: 'CSV' }),
  fitLabels: z.string().optional().describe('labels for --fit-scores').meta({ placeholder: 'CSV' }),
  groupColumn: z
    .string()
    .optional()
    .describe('column with the group of each row, such as its patient: of the label tables, or of DATASET')
    .meta({ placeholder: 'COLUMN' }),
  classImportance: z
    .string()
    .optional()
    .describe('with --scores: class weights for F2-CIW; sewerml, or a JSON file with one weight per class')
    .meta({ placeholder: 'sewerml|FILE' }),
  ...decisionFields,
  candidates: candidatesField,
  prevalence: shareField()
    .optional()
    .describe(
      'also say how many of 1,000 images are cleared, reviewed and alarmed where this share is positive',
    ),
  costMiss: z
    .number()
    .positive()
    .optional()
    .describe('what a missed positive costs: chooses the false-alarm budget that minimizes costs')
    .meta({ placeholder: 'COST' }),
  costAlarm: z
    .number()
    .positive()
    .optional()
    .describe('what a false alarm costs, in the same unit')
    .meta({ placeholder: 'COST' }),
  replicates: z
    .int()
    .min(0)
    .optional()
    .describe(
      'bootstrap replicates; 0 disables intervals; default 1000, fewer with more than 10 million labels or 1,000 classes',
    ),
  device: deviceField,
  batchSize: z.int().positive().optional().describe('images per batch; default 64'),
  set: settingOption('override a data or evaluation field of the run: data.imageFolder=DIR; may be repeated'),
  saveScores: z
    .string()
    .optional()
    .describe("write the model's probabilities to this file")
    .meta({ placeholder: 'CSV' }),
  html: z.string().optional().describe('also write a page with charts').meta({ placeholder: 'FILE' }),
  force,
  json: z.boolean().default(false).describe('print JSON'),
});

export type EvaluateOptions = z.output<typeof evaluateOptions>;

export const forModels = ['dataset', 'split', 'device', 'batchSize', 'saveScores'] as const;
export const forScores = ['labels', 'fitScores', 'fitLabels', 'classImportance'] as const;
export const forFitting = [
  'rule',
  'falseAlarms',
  'missed',
  'per',
  'f1Neg',
  'confidence',
  'beta',
  'candidates',
  'costMiss',
  'costAlarm',
  'prevalence',
] as const;
export const byOptions =
  'is set by --rule, --false-alarms, --missed, --per, --f1-neg, --confidence, --beta and --candidates';

/** The costs of a miss and of a false alarm, if given. */
export function costsOf(
  given: EvaluateOptions,
): { readonly miss: number; readonly alarm: number } | undefined {
  const { costMiss: miss, costAlarm: alarm } = given;
  if (miss === undefined && alarm === undefined) return undefined;
  if (miss === undefined || alarm === undefined)
    throw new UsageError('--cost-miss and --cost-alarm must be given together');
  const other = (['falseAlarms', 'f1Neg', 'rule', 'candidates'] as const).find(
    (name) => given[name] !== undefined,
  );
  if (other !== undefined)
    throw new UsageError('cannot be combined with costs, which choose the budget', other);
  if (given.per === 'group')
    throw new UsageError('group cannot be combined with costs, which count images', 'per');
  return { miss, alarm };
}

/** Throws if an option has no effect, since giving it is probably a mistake. */
export function refuse(given: EvaluateOptions, names: readonly (keyof EvaluateOptions)[], why: string): void {
  const defaults = evaluateOptions.parse({});
  const idle = names.find((name) => given[name] !== defaults[name]);
  if (idle === undefined) return;
  throw new UsageError(`${flagOf(idle)} requires ${why}`);
}
