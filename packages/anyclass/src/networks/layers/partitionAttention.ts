// Attention within the squares of a feature map, and the MLP behind it. Tu et al., "MaxViT", arXiv 2204.01697.

import { nn, type Tensor } from '@anyclass/torch';
import { LayerNorm } from './layerNorm.js';
import { RelativeAttention } from './relativeAttention.js';

/** `window`: neighbouring pixels see each other. `grid`: pixels at equal distances over the whole map do. */
export type Axis = 'window' | 'grid';

export interface PartitionAttentionOptions {
  readonly axis: Axis;
  /** The side of the squares whose pixels see each other. */
  readonly partitionSize: number;
  readonly stochasticDepth: number;
}

const headWidth = 32;

/**
 * Maps [batch, channels, height, width] to the same; channels-last memory is used as it lies.
 *
 * @example
 * new PartitionAttention(64, { axis: 'grid', partitionSize: 7, stochasticDepth: 0 }).forward(x).shape // that of x
 */
export class PartitionAttention extends nn.Module {
  readonly attnLayer: nn.Sequential;
  readonly mlpLayer: nn.Sequential;
  readonly stochasticDepth: nn.StochasticDepth;
  readonly #axis: Axis;
  readonly #side: number;

  constructor(channels: number, { axis, partitionSize, stochasticDepth }: PartitionAttentionOptions) {
    super();
    this.#axis = axis;
    this.#side = partitionSize;
    this.attnLayer = new nn.Sequential(
      new LayerNorm(channels),
      new RelativeAttention(channels, { headWidth, side: partitionSize }),
    );
    this.mlpLayer = new nn.Sequential(
      new LayerNorm(channels),
      new nn.Linear(channels, 4 * channels),
      new nn.GELU(),
      new nn.Linear(4 * channels, channels),
    );
    this.stochasticDepth = new nn.StochasticDepth(stochasticDepth);
  }

  forward(input: Tensor): Tensor {
    const map = input.permute([0, 2, 3, 1]).contiguous();
    const x = this.#attend(map);
    return x.add(this.stochasticDepth.forward(this.mlpLayer.forward(x))).permute([0, 3, 1, 2]);
  }

  // The map as [batch, rows, columns, …] of squares and of pixels in them: which of the two a factor of height (and width)
  // counts is the whole difference between windows and grid.
  #attend(map: Tensor): Tensor {
    const [batch = 0, height = 0, width = 0, channels = 0] = map.shape;
    const side = this.#side;
    if (height % side !== 0 || width % side !== 0) {
      throw new RangeError(
        `a feature map of ${height}x${width} px cannot be cut into squares of ${side}x${side}`,
      );
    }
    const [rows, columns] = [height / side, width / side];
    const window = this.#axis === 'window';
    const factors = window
      ? [batch, rows, side, columns, side, channels]
      : [batch, side, rows, side, columns, channels];
    const order = window ? [0, 1, 3, 2, 4, 5] : [0, 2, 4, 1, 3, 5];
    const back = window ? [0, 1, 3, 2, 4, 5] : [0, 3, 1, 4, 2, 5];

    const squares = map
      .view(factors)
      .permute(order)
      .reshape([batch * rows * columns, side ** 2, channels]);
    const attended = this.attnLayer.forward(squares).view([batch, rows, columns, side, side, channels]);
    return map
      .view(factors)
      .add(this.stochasticDepth.forward(attended.permute(back)))
      .view(map.shape);
  }
}
