// Changes to pixels on the device that holds them: geometry, color, normalization and erasing, all in one pass; blur and
// JPEG, which need a pixel's neighbors, in a second one over the images that get them.
// The mathematics is in native/augment: geometry.h, colorMath.h, filters.h and jpegMath.h.

import { type Tensor, tensor } from '@anyclass/torch';
import { type FusedOperator, fusedOperator } from '../../kernels/fusedLibrary.js';
import { hasFilters, numbersPerImage, type Size } from './changes.js';

export interface Normalization {
  /** One per channel, or one for all. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

/**
 * Moves images, changes their colors, and normalizes them: from [N, H, W, C] bytes, or floats from 0 to 1, to
 * float32 [N, 3, height, width] in channels-last memory. `changes` come from `drawChanges`, one row per image, and
 * are copied to the device together; without them, images are only normalized. The result has the images' size
 * unless another is given, for which the changes must be drawn. For gray images (C is 1), brightness and contrast
 * apply as in torchvision; saturation and hue have no effect. Blur and JPEG come after the colors, the erased box last.
 *
 * @example
 * const bytes = tensor(Uint8Array.of(0, 51), { shape: [1, 1, 2, 1] });
 * augmentImages(bytes, undefined, { mean: [0.1], std: [0.5] }).toArray() // three channels of [[-0.2, 0.2]]
 */
export function augmentImages(
  images: Tensor,
  changes: Float32Array | undefined,
  { mean, std }: Normalization,
  resultSize?: Size,
): Tensor {
  const [count = 0, height = 0, width = 0, channels = 0] = images.shape;
  const parameters = changes && tensor(changes, { shape: [count, numbersPerImage], device: images.device });
  const [means, deviations] = [ofChannels(mean, channels), ofChannels(std, channels)];
  augment ??= fusedOperator('augment_images');
  const size = [resultSize?.height ?? height, resultSize?.width ?? width] as const;
  const [result] = augment(images, parameters ?? null, ...size, means, deviations);
  if (parameters && hasFilters(changes)) {
    filter ??= fusedOperator('filter_images_');
    filter(result!, parameters, means, deviations);
  }
  parameters?.dispose();
  return result!;
}

let augment: FusedOperator | undefined;
let filter: FusedOperator | undefined;

function ofChannels(values: readonly number[], channels: number): number[] {
  if (values.length !== channels && values.length !== 1) {
    throw new RangeError(`mean and std have ${values.length} channels; the images have ${channels}`);
  }
  return Array.from({ length: channels }, (_, channel) => values[channel] ?? values[0]!);
}
