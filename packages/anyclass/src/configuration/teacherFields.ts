// Models whose scores a run learns from.

import { z } from 'zod';

export const teacherFields = z.strictObject({
  models: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .describe(
      'learn from the scores of these, averaged: runs, models, `.onnx` files, or tables of scores by file name (`.csv`)',
    ),
  weight: z
    .number()
    .positive()
    .max(1)
    .default(0.5)
    .describe("the teacher's share in the training labels; of an unknown label it is all"),
});
