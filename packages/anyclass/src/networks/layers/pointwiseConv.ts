import { nn, type Tensor } from '@anyclass/torch';
import { isForKernels } from './gpuOperator.js';

/**
 * A 1x1 convolution. Channels-last maps on a GPU are rows of channels, so it is one product there, and the bias needs no
 * extra pass.
 *
 * @example
 * new PointwiseConv(8, 16, { kernel: 1 }).forward(zeros([1, 8, 5, 5])).shape // [1, 16, 5, 5]
 */
export class PointwiseConv extends nn.Conv2d {
  constructor(inputs: number, outputs: number, options: nn.Conv2dOptions) {
    super(inputs, outputs, options);
    const { kernel, stride = 1, padding = 0, groups = 1 } = options;
    if (kernel !== 1 || stride !== 1 || padding !== 0 || groups !== 1) {
      throw new RangeError('PointwiseConv: expected kernel 1, stride 1, padding 0 and one group');
    }
  }

  override forward(input: Tensor): Tensor {
    if (!isForKernels(input) || !input.isContiguous('channelsLast')) return super.forward(input);
    const rows = input.permute([0, 2, 3, 1]);
    return nn.functional.linear(rows, this.weight.flatten(1), this.bias).permute([0, 3, 1, 2]);
  }
}
