// Random changes to training images, part by part.

import { z } from 'zod';

const share = z.number().min(0).max(1);
/** From the smallest to the largest. */
function ordered(number: z.ZodNumber) {
  return z
    .tuple([number, number])
    .refine(([low, high]) => low <= high, { message: 'expected the smaller number first' });
}

const range = ordered(z.number().positive());
/** Parts of the image: a larger one would never be found. */
const area = ordered(z.number().positive().max(1));

const augmentationFields = z.strictObject({
  flip: share.optional().describe('probability of a horizontal flip'),
  verticalFlip: share.optional().describe('probability of a vertical flip'),
  rotation: z
    .number()
    .min(0)
    .max(180)
    .optional()
    .describe('maximum rotation in degrees, in either direction'),
  zoom: range.optional().describe('range of factors that magnify the center; below 1, the border is black'),
  jitter: z
    .strictObject({
      brightness: share.describe('maximum change of brightness'),
      contrast: share.describe('maximum change of contrast'),
      saturation: share.describe('maximum change of saturation'),
      hue: z.number().min(0).max(0.5).describe('maximum shift of hue in turns of the color wheel'),
    })
    .optional(),
  resizedCrop: z
    .strictObject({
      scale: area.describe(
        'random crop, resized to the full size: range of its area, as a share of the image',
      ),
      ratio: range.describe('random crop: range of its width divided by its height'),
    })
    .optional(),
  erasing: z
    .strictObject({
      probability: share.describe('probability that a rectangle is erased'),
      scale: area.describe('erased rectangle: range of its area, as a share of the image'),
      ratio: range.describe('erased rectangle: range of its width divided by its height'),
    })
    .optional(),
  blur: z
    .strictObject({
      probability: share.describe('probability of a blur'),
      sigma: ordered(z.number().positive().max(10)).describe(
        "blur: range of the Gaussian's standard deviation, in pixels of the training size",
      ),
    })
    .optional(),
  jpeg: z
    .strictObject({
      probability: share.describe('probability of the artifacts of a JPEG file'),
      quality: ordered(z.int().min(1).max(100)).describe('JPEG: range of the quality, 1 to 100'),
    })
    .optional(),
  trivial: share
    .optional()
    .describe(
      'TrivialAugment: one change per image, of color, rotation, shear or position, up to this strength',
    ),
  interpolation: z
    .enum(['nearest', 'bilinear'])
    .optional()
    .describe('how crops, rotations and zooms read between pixels; default bilinear'),
});

export const augmentationParts = augmentationFields.refine(
  ({ trivial, jitter }) => trivial === undefined || !jitter,
  {
    path: ['trivial'],
    message: 'expected none with jitter: both change colors',
  },
);
