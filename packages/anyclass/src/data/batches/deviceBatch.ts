// Batches as tensors. Apart from the augmentation, this is the only file of `data` that needs libtorch, so
// code that only reads tables or images does not have to load it.

import { type Device, noGrad, type Tensor, tensor, tidy, withBytes } from '@anyclass/torch';
import { augmentImages, type Normalization } from '../augmentation/augmentImages.js';
import type { Size } from '../augmentation/changes.js';
import { mixImages } from '../augmentation/mixImages.js';
import {
  drawMixtures,
  type Mixing,
  type Mixture,
  mixedShare,
  mixLabels,
  partnerOf,
} from '../augmentation/mixing.js';
import { type Augmentation, drawChanges } from '../augmentation/parameters.js';
import { type TileLabels, tileTargets } from '../augmentation/tileTargets.js';
import { type FeatureFormat, floatsOf } from '../dataset/inputs.js';
import type { PixelFormat } from '../dataset/reading/pixelFormat.js';
import type { Batch } from './loader.js';

export interface DeviceBatchOptions extends Normalization {
  readonly format: PixelFormat;
  readonly device: Device;
  /** If omitted, images are only normalized, as for evaluation. */
  readonly augmentation?: Augmentation;
  /** Seed for the augmentation. Default 0. */
  readonly seed?: number;
  /** The size of augmented images, if not their own. */
  readonly resultSize?: Size | undefined;
  /** Which images are mixed with others of the batch; none if omitted. */
  readonly mixing?: Mixing | undefined;
  /** If given, the targets are those of tiles; images must not be mixed then. */
  readonly tileLabels?: TileLabels | undefined;
}

export interface DeviceBatch {
  /**
   * [N, 3, H, W] float32 in channels-last order, normalized; for feature vectors, [N, features], unchanged.
   */
  readonly inputs: Tensor;
  /** [N, classes] float32, or [N, tiles, classes]: 1 present, 0 absent, a number in between, or NaN for unknown. */
  readonly targets: Tensor;
  /** [N] float32: how much each image counts; all alike if undefined. */
  readonly weights?: Tensor | undefined;
}

/** Images of one size in plain memory, N x height x width x channels, or feature vectors, N x features. */
export interface InputBatch {
  readonly size: number;
  readonly inputs: Uint8Array;
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
  batch: InputBatch,
  options: Omit<DeviceBatchOptions, 'augmentation' | 'seed' | 'resultSize' | 'mixing' | 'tileLabels'>,
): Tensor {
  return noGrad(() =>
    tidy(() => uploaded(batch, options, (bytes) => augmentImages(bytes, undefined, options))),
  );
}

/**
 * A training batch on the device: the targets, and images that are normalized, augmented and mixed there. The caller
 * disposes of the tensors.
 *
 * @example
 * const { inputs, targets } = deviceBatch(batch, { format, device: 'cuda', ...dataset.preparation, augmentation, seed: 1 });
 */
export function deviceBatch(batch: Batch, options: DeviceBatchOptions): DeviceBatch {
  const { augmentation, device, resultSize, tileLabels } = options;
  const changes = augmentation && drawFor(batch, augmentation, options);
  const mixtures = mixturesOf(batch, options);
  return noGrad(() =>
    tidy(() => {
      const images = uploaded(batch, options, (bytes) => augmentImages(bytes, changes, options, resultSize));
      return {
        inputs: mixtures ? mixImages(images, mixtures) : images,
        ...deviceTargets(mixtures ? mixedTargets(batch, mixtures) : batch, device),
        ...(tileLabels && { targets: targetsOfTiles(batch, tileLabels, changes, options) }),
      };
    }),
  );
}

/**
 * Copies feature vectors to the device, [N, features] float32. The caller disposes of the tensor.
 *
 * @example
 * const features = deviceFeatures(batch, { features: 294 }, 'cpu');
 */
export function deviceFeatures(
  { size, inputs }: InputBatch,
  { features }: FeatureFormat,
  device: Device,
): Tensor {
  return tensor(floatsOf(inputs, 0, size * features), { shape: [size, features], device });
}

/** A training batch of feature vectors on the device. The caller disposes of the tensors. */
export function featureBatch(batch: Batch, format: FeatureFormat, device: Device): DeviceBatch {
  return { inputs: deviceFeatures(batch, format, device), ...deviceTargets(batch, device) };
}

/**
 * Calls a function with the images on the device and returns its result; on the CPU, it
 * sees the batch's own memory.
 */
function uploaded(
  { size, inputs }: InputBatch,
  { format, device }: Pick<DeviceBatchOptions, 'format' | 'device'>,
  make: (bytes: Tensor) => Tensor,
): Tensor {
  const shape = [size, format.height, format.width, format.channels];
  return device === 'cpu' ? withBytes(inputs, shape, make) : make(tensor(inputs, { shape, device }));
}

type Targets = Pick<Batch, 'size' | 'targets' | 'weights'>;

function deviceTargets(
  { size, targets, weights }: Targets,
  device: Device,
): Pick<DeviceBatch, 'targets' | 'weights'> {
  return {
    targets: tensor(targets, { shape: [size, targets.length / Math.max(1, size)], device }),
    ...(weights && { weights: tensor(weights, { device }) }),
  };
}

function targetsOfTiles(
  { size, targets, indices }: Batch,
  labels: TileLabels,
  changes: Float32Array | undefined,
  { format, device }: DeviceBatchOptions,
): Tensor {
  const classes = targets.length / Math.max(1, size);
  const ofTiles = tileTargets(labels, { indices, targets, classes, changes, imageSize: format });
  return tensor(ofTiles, { shape: [size, labels.starts.length ** 2, classes], device });
}

function mixturesOf(
  { epoch, indices, draws = indices }: Batch,
  { mixing, format, seed = 0, resultSize = format }: DeviceBatchOptions,
): (Mixture | undefined)[] | undefined {
  if (!mixing || mixedShare(mixing) === 0) return undefined;
  const mixtures = drawMixtures(mixing, draws, { seed, epoch, size: resultSize });
  return mixtures.some((mixture) => mixture) ? mixtures : undefined;
}

/** A pair is drawn as often as both of its images are, so their weights multiply. */
function mixedTargets(
  { size, targets, weights }: Batch,
  mixtures: readonly (Mixture | undefined)[],
): Targets {
  return {
    size,
    targets: mixLabels(targets, targets.length / Math.max(1, size), mixtures),
    weights: weights?.map((weight, place) => {
      const partner = partnerOf(place, size);
      return mixtures[place] && partner !== place ? weight * weights[partner]! : weight;
    }),
  };
}

function drawFor(
  { epoch, indices, draws = indices }: Batch,
  augmentation: Augmentation,
  { format, seed = 0, resultSize = format }: DeviceBatchOptions,
): Float32Array {
  return drawChanges(augmentation, draws, { seed, epoch, size: format, resultSize });
}
