// Types of numeric network options. Their messages are meant to follow the field's name and value.

import { z } from 'zod';

const integerText = 'expected a positive integer';
export const positiveInteger = z.int(integerText).positive(integerText);

const probabilityText = 'expected a number from 0 to 1';
const probability = z.number(probabilityText).min(0, probabilityText).max(1, probabilityText);

/** Options that several families take; their defaults differ. */
export const sharedFields = {
  patchSize: positiveInteger.describe('ViT, DeiT III, DINO: side of a patch in pixels'),
  stochasticDepth: probability.describe(
    'MaxViT, ConvNeXt, EfficientNet, Swin, ViT: probability of skipping the last branches in training',
  ),
  dropout: probability
    .lt(1)
    .describe(
      "mlp: dropout probability of hidden units; MobileNet, EfficientNet: of the last layer's inputs",
    ),
};
