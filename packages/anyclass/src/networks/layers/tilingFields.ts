// The fields of tiles, for configurations and networks.

import { z } from 'zod';

export const tilingFields = z.strictObject({
  imageSize: z
    .int()
    .positive()
    .max(16_383)
    .describe(
      'cut images into tiles of network.inputSize, after bringing the whole image to this height and width',
    ),
  overlap: z.int().min(0).default(0).describe('pixels that neighboring tiles share at least'),
  pool: z
    .enum(['max', 'noisy-or'])
    .default('noisy-or')
    .describe("how scores of tiles become the image's: the highest, or 1 - Π (1 - p)"),
});
