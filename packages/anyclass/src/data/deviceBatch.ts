// Batches as tensors. Apart from the augmentation, this is the only file of `data` that needs libtorch, so
// code that only reads tables or images does not have to load it.

import { type Device, noGrad, type Tensor, tensor, tidy, withBytes } from '@anyclass/torch';
import { augmentImages, type Normalization } from './augmentation/augmentImages.js';
import { eraseBoxes } from './augmentation/erase.js';
import { cropAndResize, rotate } from './augmentation/geometry.js';
import { type Augmentation, type BatchParameters, drawParameters } from './augmentation/parameters.js';
import type { PixelFormat } from './images/decode.js';
import { type FeatureFormat, floatsOf } from './inputs.js';
import type { Batch } from './loading/loader.js';

export interface DeviceBatchOptions extends Normalization {
  readonly format: PixelFormat;
  readonly device: Device;
  /** If omitted, images are only normalized, as for evaluation. */
  readonly augmentation?: Augmentation;
  /** Seed for the augmentation. Default 0. */
  readonly seed?: number;
}

export interface DeviceBatch {
  /**
   * [N, 3, H, W] float32 in channels-last order, normalized; for feature vectors, [N, features], unchanged.
   */
  readonly images: Tensor;
  /** [N, classes] float32: 1 present, 0 absent, a number in between, or NaN for unknown. */
  readonly targets: Tensor;
}

/** Images of one size in plain memory, N x height x width x channels. */
export interface ImageBatch {
  readonly size: number;
  readonly images: Uint8Array;
}

/**
 * Copies images to the device as bytes (a quarter of the size of floats; the copy to a GPU overlaps
 * with its other work) and normalizes them there: [N, 3, H, W] float32 in channels-last order. The
 * caller disposes of the tensor.
 *
 * @example
 * const images = deviceImages(batch, { format, device: 'cuda', mean, std });
 */
export function deviceImages(
  batch: ImageBatch,
  options: Omit<DeviceBatchOptions, 'augmentation' | 'seed'>,
): Tensor {
  return noGrad(() =>
    tidy(() => uploaded(batch, options, (bytes) => augmentImages(bytes, undefined, options))),
  );
}

/**
 * A training batch on the device: the targets, and images that are normalized and augmented there. The caller
 * disposes of the tensors.
 *
 * @example
 * const { images, targets } = deviceBatch(batch, { format, device: 'cuda', ...dataset.preparation, augmentation, seed: 1 });
 */
export function deviceBatch(batch: Batch, options: DeviceBatchOptions): DeviceBatch {
  const { augmentation, device } = options;
  return noGrad(() =>
    tidy(() => ({
      images: augmentation
        ? uploaded(batch, options, (bytes) =>
            augmented(bytes, drawFor(batch, augmentation, options), options),
          )
        : deviceImages(batch, options),
      targets: deviceTargets(batch, device),
    })),
  );
}

/**
 * Copies feature vectors to the device, [N, features] float32. The caller disposes of the tensor.
 *
 * @example
 * const features = deviceFeatures(batch, { features: 294 }, 'cpu');
 */
export function deviceFeatures(
  { size, images }: ImageBatch,
  { features }: FeatureFormat,
  device: Device,
): Tensor {
  return tensor(floatsOf(images, 0, size * features), { shape: [size, features], device });
}

/** A training batch of feature vectors on the device. The caller disposes of the tensors. */
export function featureBatch(batch: Batch, format: FeatureFormat, device: Device): DeviceBatch {
  return { images: deviceFeatures(batch, format, device), targets: deviceTargets(batch, device) };
}

/**
 * Calls a function with the images on the device and returns its result; on the CPU, it
 * sees the batch's own memory.
 */
function uploaded(
  { size, images }: ImageBatch,
  { format, device }: Pick<DeviceBatchOptions, 'format' | 'device'>,
  make: (bytes: Tensor) => Tensor,
): Tensor {
  const shape = [size, format.height, format.width, format.channels];
  return device === 'cpu' ? withBytes(images, shape, make) : make(tensor(images, { shape, device }));
}

function deviceTargets({ size, targets }: Batch, device: Device): Tensor {
  return tensor(targets, { shape: [size, targets.length / Math.max(1, size)], device });
}

function drawFor(
  { epoch, indices }: Batch,
  augmentation: Augmentation,
  { format, seed = 0 }: DeviceBatchOptions,
): BatchParameters {
  const { width, height } = format;
  return drawParameters(augmentation, { seed, epoch, indices, width, height });
}

/** In torchvision's usual order: crop, rotation, color, flip, normalization, erasing. */
function augmented(bytes: Tensor, drawn: BatchParameters, normalization: Normalization): Tensor {
  const images = augmentImages(moved(bytes, drawn), drawn.pixelChanges, normalization);
  if (!drawn.erased?.some((box) => box)) return images;
  return eraseBoxes(images, drawn.erased).contiguous({ memoryFormat: 'channelsLast' });
}

// On the CPU, a few images at a time, so that intermediate results stay in the processor's cache.
const imagesAtOnce = 4;

/** Images [N, H, W, C], cropped and rotated, as floats; the unchanged bytes if no pixel moves. */
function moved(bytes: Tensor, { crops, angles }: BatchParameters): Tensor {
  if (!crops && !angles) return bytes;
  const images = bytes.permute([0, 3, 1, 2]).to('float32').div_(255);
  const [count = 0] = images.shape;
  const step = images.device === 'cpu' ? imagesAtOnce : count;
  for (let start = 0; start < count; start += step) {
    const end = Math.min(start + step, count);
    tidy(() => {
      const part = images.narrow(0, start, end - start);
      const cropped = crops ? cropAndResize(part, crops.slice(start, end)) : part;
      part.copy_(angles ? rotate(cropped, angles.slice(start, end)) : cropped);
    });
  }
  return images.permute([0, 2, 3, 1]).contiguous();
}
