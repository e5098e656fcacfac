// The data fields of a configuration.

import { z } from 'zod';
import { readingFields } from '../data/dataset/reading/readingFields.js';

const count = z.int().positive();
const share = z.number().min(0).max(1);

const columns = z
  .strictObject({
    image: z.string().optional().describe('column with the file name of the image'),
    labels: z.string().optional().describe("column with a row's labels, separated, or one label per row"),
    value: z.string().optional().describe("column with the value of a row's one label, 0 to 1"),
    separator: z.string().optional().describe("separator between labels in that column; '' for none"),
    negative: z.string().optional().describe("a label that means 'nothing here'"),
    group: z.string().optional().describe('column with the patient, video or other group of a row'),
    split: z.string().optional().describe('column with train, validation, test or decision'),
    features: z
      .union([z.string(), z.array(z.string()).min(1)])
      .optional()
      .describe('columns that hold features, `*` for any text; default `feature_0`, `feature_1`, …'),
    ignore: z.array(z.string()).optional().describe('columns that are not classes'),
  })
  .describe('how to read a table whose column names do not make it clear');

const draw = z
  .strictObject({
    shares: z
      .array(share)
      .min(3)
      .max(4)
      .refine(
        (shares) => Math.abs(shares.reduce((sum, each) => sum + each, 0) - 1) < 1e-9,
        'expected shares that add up to 1',
      )
      .refine(
        ([train = 0, validation = 0]) => train > 0 && validation > 0,
        'expected shares of train and validation above 0',
      )
      .default([0.7, 0.15, 0.15])
      .describe(
        'shares of train, validation and test (0 for no test split); a fourth holds rows back that the decision is fitted on, so that its promise does not depend on what validation chose',
      ),
    seed: z.int().min(0).default(42).describe('seed of the draw'),
    method: z
      .enum(['stratified', 'random'])
      .default('stratified')
      .describe('stratified by class, or random rows'),
  })
  .describe('draw the splits, even if the data has its own');

const subset = z
  .strictObject({
    negativesPerPositive: z
      .number()
      .min(0)
      .optional()
      .describe('negatives to keep per positive; 0 trains without negatives'),
    instances: count.optional().describe('maximum number of training images'),
    seed: z.int().min(0).default(0).describe('seed of the choice'),
  })
  .describe('train on a subset of the training split');

const digits = z
  .strictObject({
    seed: z.int().min(0).optional().describe('seed of the dataset'),
    scenes: z
      .strictObject({
        train: count.optional().describe('number of training images'),
        validation: count.optional().describe('number of validation images'),
        test: count.optional().describe('number of test images'),
      })
      .optional()
      .describe('number of images per split'),
  })
  .describe('the embedded dataset `digits`');

export const dataFields = z.strictObject({
  dataset: z
    .string()
    .min(1)
    .describe('DATASET: a path, several comma-separated paths, `NAME=ROOT` or `digits`'),
  imageFolder: z.string().optional().describe('folder that image names are relative to'),
  features: z
    .string()
    .optional()
    .describe('file with the features: `.npy` or `.safetensors` row by row, `.csv` or `.parquet` by name'),
  classes: z.array(z.string()).min(1).optional().describe('the class names, in order'),
  keep: z.array(z.string()).min(1).optional().describe('use only these classes'),
  drop: z.array(z.string()).optional().describe('exclude these classes'),
  columns: columns.optional(),
  uncertain: z
    .union([z.enum(['ignore', 'zero', 'one']), share])
    .default('ignore')
    .describe('how to read -1 in a class column: as unknown, 0, 1 or a number in between'),
  unlabeled: z
    .enum(['negative', 'unknown'])
    .optional()
    .describe(
      'how to treat images without a label file; default negative in YOLO folders, otherwise unknown',
    ),
  corrections: z
    .string()
    .optional()
    .describe('CSV file of labels that replace those of the dataset: columns `image`, `class` and `label`'),
  groups: z
    .enum(['look-alikes'])
    .optional()
    .describe(
      '`look-alikes`: images that look alike stay in one split, together with their `columns.group`; reads all images once',
    ),
  splitFolder: z
    .string()
    .optional()
    .describe('folder with train.txt, validation.txt, test.txt and, optionally, decision.txt'),
  draw: draw.optional(),
  subset: subset.optional(),
  digits: digits.optional(),
  channels: z.literal([1, 3]).optional().describe("1 decodes to gray; default the dataset's"),
  mean: z
    .array(z.number())
    .min(1)
    .max(3)
    .optional()
    .describe("channel means; default those of the weights, else the dataset's"),
  std: z
    .array(z.number().positive())
    .min(1)
    .max(3)
    .optional()
    .describe('channel standard deviations; same default'),
  ...readingFields,
  cache: z.string().default('.anyclass/cache').describe('folder of preprocessed images; used if present'),
  strict: z.boolean().default(false).describe('stop at the first unreadable image'),
  allowPartial: z
    .boolean()
    .default(false)
    .describe('evaluate validation and test even if some of their images are missing'),
});
