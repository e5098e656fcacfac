import { nn, type Tensor } from '@anyclass/torch';
import { isForKernels } from './gpuOperator.js';

/**
 * A convolution whose kernel steps by its own size, so that no two patches overlap. Channels-last maps on a GPU are cut into patches and multiplied: cuDNN's
 * convolution of few channels with a large stride takes ten times as long.
 *
 * @example
 * new PatchConv(3, 768, 16).forward(zeros([1, 3, 224, 224])).shape // [1, 768, 14, 14]
 */
export class PatchConv extends nn.Conv2d {
  readonly #side: number;

  constructor(inputs: number, outputs: number, side: number) {
    super(inputs, outputs, { kernel: side, stride: side });
    this.#side = side;
  }

  override forward(input: Tensor): Tensor {
    const side = this.#side;
    const [batch = 0, channels = 0, height = 0, width = 0] = input.shape;
    const isWhole = height % side === 0 && width % side === 0;
    if (!isWhole || !isForKernels(input) || !input.isContiguous('channelsLast')) return super.forward(input);
    const [rows, columns] = [height / side, width / side];
    const patches = input
      .permute([0, 2, 3, 1])
      .reshape([batch, rows, side, columns, side, channels])
      .permute([0, 1, 3, 2, 4, 5])
      .reshape([batch, rows, columns, side * side * channels]);
    const weight = this.weight.permute([0, 2, 3, 1]).flatten(1);
    return nn.functional.linear(patches, weight, this.bias).permute([0, 3, 1, 2]);
  }
}
