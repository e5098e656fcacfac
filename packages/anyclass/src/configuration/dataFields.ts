// What a configuration says about the data.

import { z } from 'zod';
import { readingFields } from '../data/images/readingFields.js';

const count = z.int().positive();
const share = z.number().min(0).max(1);

const columns = z
  .strictObject({
    image: z.string().optional().describe('column with the file name of the image'),
    labels: z.string().optional().describe('column with the labels of a row, separated or one a row'),
    value: z.string().optional().describe("column that says how far a row's one label holds, 0 to 1"),
    separator: z.string().optional().describe("what separates labels in that column; '' for nothing"),
    negative: z.string().optional().describe("a label that means 'nothing here'"),
    group: z.string().optional().describe('column with the patient, video or other group of a row'),
    split: z.string().optional().describe('column that says train, validation or test'),
    ignore: z.array(z.string()).optional().describe('columns that are no classes'),
  })
  .describe('how a table is read, where its own names do not tell');

const draw = z
  .strictObject({
    shares: z
      .tuple([share.positive(), share.positive(), share])
      .refine(
        (shares) => Math.abs(shares[0] + shares[1] + shares[2] - 1) < 1e-9,
        'the three shares do not add up to 1',
      )
      .default([0.7, 0.15, 0.15])
      .describe('of train, validation and test; 0 of test for none'),
    seed: z.int().min(0).default(42).describe('another seed, another split'),
    method: z.enum(['stratified', 'random']).default('stratified').describe('by classes, or by rows alone'),
  })
  .describe('draw the splits, also where the data bring their own');

const subset = z
  .strictObject({
    negativesPerPositive: z.number().min(0).optional().describe('0 trains without negatives'),
    instances: count.optional().describe('at most so many training images'),
    seed: z.int().min(0).default(0).describe('another seed, another choice'),
  })
  .describe('train on a part of the training split');

const digits = z
  .strictObject({
    seed: z.int().min(0).optional().describe('another seed, another dataset'),
    scenes: z
      .strictObject({
        train: count.optional().describe('number of training images'),
        validation: count.optional().describe('number of validation images'),
        test: count.optional().describe('number of test images'),
      })
      .optional()
      .describe('number of images by split'),
  })
  .describe('the embedded dataset `digits`');

export const dataFields = z.strictObject({
  dataset: z.string().min(1).describe('DATASET: a path, several with commas, `NAME=ROOT` or `digits`'),
  imageFolder: z.string().optional().describe('what image names are relative to'),
  classes: z.array(z.string()).min(1).optional().describe('the class names in their order'),
  keep: z.array(z.string()).min(1).optional().describe('use only these classes'),
  drop: z.array(z.string()).optional().describe('leave these classes out'),
  columns: columns.optional(),
  uncertain: z
    .union([z.enum(['ignore', 'zero', 'one']), share])
    .default('ignore')
    .describe('how a -1 in a class column is read: as unknown, 0, 1 or a number between'),
  unlabeled: z
    .enum(['negative', 'unknown'])
    .optional()
    .describe('what images without a label file are; default negative in YOLO folders, else unknown'),
  splitFolder: z.string().optional().describe('folder with train.txt, validation.txt, test.txt'),
  draw: draw.optional(),
  subset: subset.optional(),
  digits: digits.optional(),
  channels: z.literal([1, 3]).optional().describe('1 decodes to gray; default as the dataset says'),
  mean: z
    .array(z.number())
    .min(1)
    .max(3)
    .optional()
    .describe('channel means; default as the weights or the dataset say'),
  std: z.array(z.number().positive()).min(1).max(3).optional().describe('channel deviations; likewise'),
  ...readingFields,
  cache: z.string().default('.anyclass/cache').describe('folder of prepared images, used where they are'),
  strict: z.boolean().default(false).describe('an unreadable image ends the run'),
  allowPartial: z
    .boolean()
    .default(false)
    .describe('judge validation and test although images of them are missing'),
});
