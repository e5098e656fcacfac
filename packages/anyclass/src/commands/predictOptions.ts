// The options of predict.

import { OUTCOMES } from '@anyclass/core';
import { z } from 'zod';
import { outputFormats } from '../inference/outputFormats.js';
import { deviceField, force, settingOption } from './datasetOptions.js';
import { candidatesField, decisionFields } from './decisionOptions.js';
import { groupFields } from './predictionGroups.js';
import { thresholdField } from './requestedDecision.js';

/** Stands for the number of the writing process in a file name. */
export const rankMark = '{rank}';

export const predictOptions = z.object({
  model: z.string().describe('a run, a model.safetensors, or an exported .onnx'),
  paths: z
    .array(z.string())
    .min(1)
    .describe(
      'images, folders, patterns, Parquet files, NAME=DIR for the test split of a known dataset, or - to read a list from standard input; tables or matrices for a model of features',
    ),
  format: z.enum(outputFormats).optional().describe('output format; default csv'),
  out: z
    .string()
    .optional()
    .describe(
      `output file; default standard output. With launch, ${rankMark} in the name gives each process its own file`,
    )
    .meta({ placeholder: 'FILE' }),
  ...decisionFields,
  candidates: candidatesField,
  threshold: thresholdField,
  details: z
    .boolean()
    .default(false)
    .describe("add the probability that any class is present, the gate, and each label's threshold"),
  top: z.int().positive().optional().describe('add the N most probable classes'),
  outcome: z
    .enum(OUTCOMES)
    .optional()
    .describe('print only images with this outcome; review needs a decision that limits missed positives'),
  heatMaps: z
    .string()
    .optional()
    .describe('also write heat maps of presence and the predicted classes to this folder, as explain does')
    .meta({ placeholder: 'DIR' }),
  ...groupFields,
  device: deviceField,
  batchSize: z.int().positive().default(32).describe('images per batch'),
  set: settingOption(
    "override the run's data.channels, .mean, .std, .window, .frame or .pixelLimit, or set data.strict=true to stop at the first unreadable image",
  ),
  force,
  json: z.boolean().default(false).describe('the same as --format jsonl'),
});

export type PredictOptions = z.output<typeof predictOptions>;
