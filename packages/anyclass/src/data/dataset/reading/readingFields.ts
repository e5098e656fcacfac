// Schema fields for how files become 8-bit images, shared by configurations and model files.

import { z } from 'zod';

const percent = z.number().min(0).max(100);
const isRising = ([low, high]: [number, number]) => low < high;

const expectedWindow =
  'expected auto, percentiles, [low, high], or {"percentiles": [low, high]}, with low below high';

export const windowField = z.union(
  [
    z.enum(['auto', 'percentiles']),
    z.tuple([z.number(), z.number()]).refine(isRising, expectedWindow).readonly(),
    z.strictObject({ percentiles: z.tuple([percent, percent]).refine(isRising, expectedWindow).readonly() }),
  ],
  expectedWindow,
);

export const frameField = z.union(
  [z.enum(['first', 'middle', 'last']), z.int().positive()],
  'expected first, middle, last, or a number from 1',
);

export const readingFields = {
  window: windowField
    .optional()
    .describe(
      'which values become black and white in images of more than 8 bits: `auto`, `percentiles`, `[low, high]` or `{"percentiles": [1, 99]}`; default auto',
    ),
  frame: frameField
    .optional()
    .describe('frame of a file with several: `first`, `middle`, `last` or a number from 1; default first'),
  pixelLimit: z
    .int()
    .positive()
    .optional()
    .describe('refuse images with more pixels; default 268402689 (16383 x 16383)'),
};
