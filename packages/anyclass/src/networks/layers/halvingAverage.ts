import { full, keep, nn, type Tensor } from '@anyclass/torch';
import { fusedDepthwise, isFusable } from './depthwiseConv.js';

/**
 * The mean of each 3x3 window at every second pixel; the padding of 1 counts as zeros. On a GPU it is a depthwise convolution,
 * whose kernels are several times faster than libtorch's for the gradient of a channels-last pool.
 *
 * @example
 * new HalvingAverage().forward(ones([1, 8, 6, 6])).shape // [1, 8, 3, 3]
 */
export class HalvingAverage extends nn.Module {
  #weight: Tensor | undefined;

  forward(input: Tensor): Tensor {
    const [, channels = 0] = input.shape;
    if (!isFusable(input, 2)) return nn.functional.avgPool2d(input, 3, 2, 1);
    if (this.#weight?.device !== input.device || this.#weight.shape[0] !== channels) {
      this.#weight?.dispose();
      this.#weight = keep(full([channels, 1, 3, 3], 1 / 9, { device: input.device }));
    }
    return fusedDepthwise(input, this.#weight, null, 2);
  }
}
