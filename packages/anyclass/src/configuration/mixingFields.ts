// Which training images are mixed with others.

import { z } from 'zod';

const share = z.number().min(0).max(1);

export const mixingFields = z
  .strictObject({
    mixup: share
      .default(0)
      .describe('share of training images that are averaged with another, and their labels alike'),
    cutMix: share
      .default(0)
      .describe(
        'share of training images that get a part of another, and its labels by the area of the part',
      ),
    union: share
      .default(0)
      .describe(
        'share of training images that are averaged with another and have the labels of both (OR-mix)',
      ),
    alpha: z
      .number()
      .min(0.05)
      .max(4)
      .default(1)
      .describe('how even mixup and cutMix are: weights are drawn from Beta(alpha, alpha); 1 is uniform'),
  })
  .refine(({ mixup, cutMix, union }) => mixup + cutMix + union <= 1 + 1e-9, {
    path: ['union'],
    message: 'expected mixup, cutMix and union to add up to at most 1, since an image is mixed once',
  });
