import { nn, type Tensor } from '@anyclass/torch';
import { gpuOperator, isForKernels } from './gpuOperator.js';

const operator = gpuOperator('mean_pool');

/**
 * Halves height and width by means: of each square of 2x2 pixels, at the edges of an odd size of those that are there; or of 3x3 pixels around every
 * second one, with zeros around the map. On a GPU, libtorch's pools are several times slower on channels-last maps, and the
 * gradient of a padded one is wrong there: it forgets the padding.
 *
 * @example
 * new HalvingPool(2).forward(ones([1, 8, 5, 4])).shape // [1, 8, 3, 2]
 */
export class HalvingPool extends nn.Module {
  readonly #side: 2 | 3;
  readonly #composed: nn.AvgPool2d;

  constructor(side: 2 | 3) {
    super();
    this.#side = side;
    const edges = side === 2 ? { ceilMode: true, countIncludePad: false } : { padding: 1 };
    this.#composed = new nn.AvgPool2d({ kernel: side, stride: 2, ...edges });
  }

  forward(x: Tensor): Tensor {
    const isFusable = isForKernels(x) && x.ndim === 4 && (x.shape[1] ?? 0) % 8 === 0;
    const fused = isFusable && x.isContiguous('channelsLast') ? operator() : null;
    return fused ? fused(x, this.#side)[0]! : this.#composed.forward(x);
  }
}
