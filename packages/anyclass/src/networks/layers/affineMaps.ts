// Norms in evaluation with the GPU kernels in packages/anyclass/native: a scale and a shift per channel, an activation, and at the end of a residual
// block squeeze-and-excitation, the residual and relu, in one pass over the maps.

import { nn, type Tensor } from '@anyclass/torch';
import { gpuOperator, isForKernels } from './gpuOperator.js';

export interface AffineMaps {
  /** Null for 1. */
  readonly scale: Tensor | null;
  readonly shift: Tensor;
  /** What the activation multiplies negative values by. */
  readonly slope: number;
  /** Scales of each image, [batch, channels]. */
  readonly excitation?: Tensor;
  /** Added at the end, before a relu. */
  readonly residual?: Tensor | null;
}

const squeeze = gpuOperator('affine_squeeze');
const excite = gpuOperator('affine_excite_');

/**
 * Whether maps may get more channels, zeros, for the kernels: channels-last on a GPU, float32 or half precision.
 *
 * @example
 * isPaddable(zeros([1, 8, 4, 4])) // false: on the CPU
 */
export function isPaddable(maps: Tensor): boolean {
  return isForKernels(maps) && maps.ndim === 4 && maps.isContiguous('channelsLast') && excite() !== null;
}

/**
 * Returns maps with this many channels, zeros after their own.
 *
 * @example
 * padChannels(ones([1, 76, 4, 4]), 80).shape // [1, 80, 4, 4]
 */
export function padChannels(maps: Tensor, channels: number): Tensor {
  const own = maps.shape[1] ?? 0;
  return own === channels ? maps : nn.functional.pad(maps, [0, 0, 0, 0, 0, channels - own]);
}

/**
 * Returns the mean of each channel of activation(scale · maps + shift), [batch, channels] of float32.
 *
 * @example
 * affineSqueeze(maps, { scale: null, shift, slope: 0 })
 */
export function affineSqueeze(maps: Tensor, { scale, shift, slope }: AffineMaps): Tensor {
  return squeeze()!(maps, scale, shift, slope)[0]!;
}

/**
 * Replaces maps by excitation · activation(scale · maps + shift), with a residual by relu of its sum with that, and returns them.
 *
 * @example
 * affineExcite(maps, { scale: null, shift, slope: 0, residual })
 */
export function affineExcite(
  maps: Tensor,
  { scale, shift, slope, excitation, residual = null }: AffineMaps,
): Tensor {
  excite()!(maps, scale, shift, slope, excitation ?? null, residual);
  return maps;
}
