// Batches as tensors. The only file of `data` beside the augmentation that needs libtorch: what only reads tables or
// images does not wait for it.

import { type Device, noGrad, type Tensor, tensor, tidy } from '@anyclass/torch';
import { fusedOperator } from '../fusedLibrary.js';
import { jitterColours } from './augmentation/colour.js';
import { eraseBoxes } from './augmentation/erase.js';
import { cropAndResize, flipHorizontally, rotate } from './augmentation/geometry.js';
import { type Augmentation, drawParameters, type SampleParameters } from './augmentation/parameters.js';
import type { PixelFormat } from './images/decode.js';
import { UNKNOWN } from './labelMatrix.js';
import type { Batch } from './loading/loader.js';

export interface DeviceBatchOptions {
  readonly format: PixelFormat;
  readonly device: Device;
  /** Per channel of the images, or one for all. */
  readonly mean: readonly number[];
  readonly std: readonly number[];
  /** Left out: images are only normalised, as for evaluation. */
  readonly augmentation?: Augmentation;
  /** Of the augmentation. Default 0. */
  readonly seed?: number;
}

export interface DeviceBatch {
  /** [N, 3, H, W] float32 in channels-last order, normalised. */
  readonly images: Tensor;
  /** [N, classes] float32, 1 present, 0 absent; 0 where unknown. */
  readonly targets: Tensor;
  /** [N, classes] float32, 0 where a label is unknown; left out if none is. */
  readonly known?: Tensor;
}

/**
 * Bring a batch to the device as bytes (a quarter of what floats would take; on their way to a GPU beside its other
 * work), then normalise and augment it there. The caller disposes of the tensors.
 *
 * @example
 * const { images, targets } = deviceBatch(batch, { format, device: 'cuda', ...dataset.preparation, augmentation, seed: 1 });
 */
export function deviceBatch(batch: Batch, options: DeviceBatchOptions): DeviceBatch {
  const { format, device } = options;
  const { width, height, channels } = format;
  const upload = (bytes: Uint8Array, shape: readonly number[]) => tensor(bytes, { shape, device });
  return noGrad(() =>
    tidy(() => {
      const bytes = upload(batch.images, [batch.size, height, width, channels]);
      const images = options.augmentation
        ? augmented(bytes, drawAll(batch, options.augmentation, options), options)
        : normalised(bytes, options);
      const labels = upload(batch.targets, [batch.size, batch.targets.length / Math.max(1, batch.size)]);
      return {
        images: onThreeChannels(images).contiguous({ memoryFormat: 'channelsLast' }),
        targets: labels.eq(1).to('float32'),
        ...(batch.targets.includes(UNKNOWN) && { known: labels.ne(UNKNOWN).to('float32') }),
      };
    }),
  );
}

function drawAll(
  batch: Batch,
  augmentation: Augmentation,
  { format, seed = 0 }: DeviceBatchOptions,
): SampleParameters[] {
  const { width, height } = format;
  return Array.from(batch.indices, (index) =>
    drawParameters(augmentation, { seed, epoch: batch.epoch, index, width, height }),
  );
}

/** Bytes [N, H, W, C] to normalised images [N, C or 3, H, W]. */
function normalised(bytes: Tensor, options: DeviceBatchOptions): Tensor {
  const channels = bytes.shape[3]!;
  if (bytes.device !== 'cpu') return normalise(bytes.permute([0, 3, 1, 2]).to('float32'), 255, options);
  const [means, deviations] = [ofChannels(options.mean, channels), ofChannels(options.std, channels)];
  return fusedOperator('normalise_images')(bytes, means, deviations)[0]!;
}

function augmented(
  bytes: Tensor,
  parameters: readonly SampleParameters[],
  options: DeviceBatchOptions,
): Tensor {
  const floats = bytes.permute([0, 3, 1, 2]).to('float32').div_(255);
  const images = normalise(augment(floats, parameters), 1, options);
  const erase = parameters.map((one) => one.erase);
  return erase.some((box) => box) ? eraseBoxes(images, erase) : images;
}

function onThreeChannels(images: Tensor): Tensor {
  const [count = 0, , height = 0, width = 0] = images.shape;
  return images.expand([count, 3, height, width]);
}

// On the CPU a few images at a time: what is computed on the way then stays in the processor's cache.
const imagesAtOnce = 4;

function augment(images: Tensor, parameters: readonly SampleParameters[]): Tensor {
  if (images.device !== 'cpu') return augmentTogether(images, parameters);
  for (let start = 0; start < parameters.length; start += imagesAtOnce) {
    const some = parameters.slice(start, start + imagesAtOnce);
    const part = images.narrow(0, start, some.length);
    tidy(() => {
      part.copy_(augmentTogether(part, some));
    });
  }
  return images;
}

/** In torchvision's usual order: crop, rotation, colour, flip. Steps that no image needs are left out. */
function augmentTogether(images: Tensor, parameters: readonly SampleParameters[]): Tensor {
  const [, channels, height = 0, width = 0] = images.shape;
  const of = <Key extends keyof SampleParameters>(key: Key) => parameters.map((one) => one[key]);
  let current = images;
  if (of('crop').some((crop) => crop)) {
    const whole = { top: 0, left: 0, height, width };
    current = cropAndResize(
      current,
      of('crop').map((crop) => crop ?? whole),
    );
  }
  if (of('angle').some((angle) => angle !== 0)) current = rotate(current, of('angle'));
  if (channels === 3) current = jitterColours(current, of('colour'));
  if (of('flip').some((flip) => flip)) current = flipHorizontally(current, of('flip'));
  return current;
}

/**
 * (x / range - mean) / std as one product and one difference, in place. The images are taken as rows of width x channels
 * numbers with the constants repeated along them: three channels innermost would leave the processor loops of three.
 */
function normalise(images: Tensor, range: number, { mean, std }: DeviceBatchOptions): Tensor {
  const [count = 0, channels = 0, height = 0, width = 0] = images.shape;
  const [means, deviations] = [ofChannels(mean, channels), ofChannels(std, channels)];
  const along = (value: (channel: number) => number) =>
    tensor(
      Float32Array.from({ length: width * channels }, (_, i) => value(i % channels)),
      { device: images.device },
    );
  const scale = along((c) => 1 / (range * deviations[c]!));
  const offset = along((c) => means[c]! / deviations[c]!);
  const rows = images
    .permute([0, 2, 3, 1])
    .contiguous()
    .view([count * height, width * channels]);
  const rowsAtOnce = images.device === 'cpu' ? imagesAtOnce * height : count * height;
  for (let start = 0; start < count * height; start += rowsAtOnce) {
    tidy(() => {
      rows
        .narrow(0, start, Math.min(rowsAtOnce, count * height - start))
        .mul_(scale)
        .sub_(offset);
    });
  }
  return rows.view([count, height, width, channels]).permute([0, 3, 1, 2]);
}

function ofChannels(values: readonly number[], channels: number): number[] {
  if (values.length !== channels && values.length !== 1) {
    throw new RangeError(`mean and std have ${values.length} channels; the images have ${channels}`);
  }
  return Array.from({ length: channels }, (_, channel) => values[channel] ?? values[0]!);
}
