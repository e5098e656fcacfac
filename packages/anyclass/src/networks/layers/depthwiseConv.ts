// Depthwise 3x3 convolution with padding 1. On a GPU, channels-last maps use the kernels in packages/anyclass/native, which
// read and write each pixel once; everything else uses libtorch.

import { nn, type Tensor } from '@anyclass/torch';
import { gpuOperator, isForKernels } from './gpuOperator.js';

const operator = gpuOperator('depthwise_convolution');

/**
 * A convolution with a 3x3 kernel per channel.
 *
 * @example
 * new DepthwiseConv(8, 8, { kernel: 3, padding: 1, groups: 8, stride: 2 }).forward(zeros([1, 8, 6, 6])).shape // [1, 8, 3, 3]
 */
export class DepthwiseConv extends nn.Conv2d {
  #activated = false;

  constructor(inputs: number, outputs: number, options: nn.Conv2dOptions) {
    super(inputs, outputs, options);
    const { kernel, padding, groups } = options;
    if (kernel !== 3 || padding !== 1 || groups !== inputs || outputs !== inputs) {
      throw new RangeError(
        'DepthwiseConv: expected kernel 3, padding 1, and as many groups and outputs as inputs',
      );
    }
  }

  /** Whether GELU is applied to the output. */
  get isActivated(): boolean {
    return this.#activated;
  }

  /** Applies GELU to the output from now on, in the same pass if possible; for inference. */
  activateWithGelu(): this {
    this.#activated = true;
    return this;
  }

  override forward(input: Tensor): Tensor {
    const isPlain = this.bias === null && !this.#activated;
    const isInference = this.bias !== null && this.#activated && !input.requiresGrad;
    const fused = (isPlain || isInference) && isFusable(input, this.stride) ? operator() : null;
    if (fused) return fused(input, this.weight, this.bias, this.stride)[0]!;
    const output = super.forward(input);
    return this.#activated ? nn.functional.gelu(output) : output;
  }
}

/** Whether the kernels support this input: channels-last on a GPU, float32 or half precision, a multiple of 4 channels. */
function isFusable(input: Tensor, stride: nn.Size2d): stride is 1 | 2 {
  const [, channels = 0] = input.shape;
  return (
    isForKernels(input) &&
    (stride === 1 || stride === 2) &&
    channels % 4 === 0 &&
    input.isContiguous('channelsLast')
  );
}
