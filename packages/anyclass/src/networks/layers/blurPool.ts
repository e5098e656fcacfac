// Anti-aliased downsampling. Zhang, "Making Convolutional Networks Shift-Invariant Again", arXiv 1904.11486.

import { cat, isDeterministic, keep, nn, type Tensor, tensor } from '@anyclass/torch';
import { gpuOperator, isForKernels } from './gpuOperator.js';

const operator = gpuOperator('blur_pool');

/**
 * Halves height and width after a low-pass filter: depthwise [1, 2, 1] ⊗ [1, 2, 1] / 16 with reflected edges, stride 2.
 * The filter is a buffer in the state dict, and a loaded filter is used as is.
 *
 * @example
 * new BlurPool(64).forward(ones([1, 64, 56, 56])).shape // [1, 64, 28, 28]
 */
export class BlurPool extends nn.Module {
  readonly filt: Tensor;
  readonly #channels: number;

  constructor(channels: number) {
    super();
    this.#channels = channels;
    const row = tensor([1, 2, 1]).div(4);
    this.filt = keep(row.outer(row).expand([channels, 1, 3, 3]).clone());
  }

  forward(x: Tensor): Tensor {
    const fused = isFusable(x) ? operator() : null;
    if (fused) return fused(x, this.filt)[0]!;
    return nn.functional.conv2d(reflected(x), this.filt, null, 2, 0, 1, this.#channels);
  }

  multiplyAdds(_input: Tensor, output: Tensor): number {
    return output.numel * 9;
  }
}

/** Whether the kernels support this input: channels-last on a GPU, float32 or half precision, a multiple of 8 channels. */
function isFusable(x: Tensor): boolean {
  return isForKernels(x) && x.ndim === 4 && (x.shape[1] ?? 0) % 8 === 0 && x.isContiguous('channelsLast');
}

// libtorch pads two dimensions only in the contiguous layout, and would convert a channels-last map twice. Viewed as
// [height, width, channels], with no padding for the last of the three dimensions, the map is padded without conversion.
function reflected(x: Tensor): Tensor {
  if (isDeterministic() && x.device !== 'cpu') return reflectedByParts(x);
  if (x.isContiguous()) return nn.functional.pad(x, [1, 1, 1, 1], 'reflect');
  return nn.functional.pad(x.permute([0, 2, 3, 1]), [0, 0, 1, 1, 1, 1], 'reflect').permute([0, 3, 1, 2]);
}

// On a GPU, the gradient of libtorch's padding adds in arbitrary order, and is refused in deterministic mode.
function reflectedByParts(x: Tensor): Tensor {
  const [, , height = 0, width = 0] = x.shape;
  const rows = cat([x.narrow(2, 1, 1), x, x.narrow(2, height - 2, 1)], 2);
  return cat([rows.narrow(3, 1, 1), rows, rows.narrow(3, width - 2, 1)], 3);
}
