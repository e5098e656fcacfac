// How often an epoch draws which images.

import { z } from 'zod';

export const samplingFields = z.strictObject({
  negatives: z
    .number()
    .positive()
    .max(1)
    .default(1)
    .describe(
      'share of the negatives that each epoch draws anew; they count more in return, so that probabilities keep their meaning',
    ),
  repeat: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      'repeat images of classes that fewer than this share of the training images have, √(share / frequency) times; 0 for none',
    ),
});
