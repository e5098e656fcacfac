// Attention within the squares of a feature map, followed by an MLP. Tu et al., "MaxViT", arXiv 2204.01697.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import { LayerNorm } from './layerNorm.js';
import { RelativeAttention } from './relativeAttention.js';
import { addBranch, type Residual, type ResidualStep, residualNorm } from './residualNorm.js';
import type { Axis, Squares } from './squares.js';

export interface PartitionAttentionOptions {
  readonly axis: Axis;
  /** The side of the squares whose pixels attend to each other. */
  readonly partitionSize: number;
  readonly stochasticDepth: number;
}

const headWidth = 32;

/**
 * Maps [batch, channels, height, width] to the same shape; channels-last memory is used without a copy.
 *
 * @example
 * new PartitionAttention(64, { axis: 'grid', partitionSize: 7, stochasticDepth: 0 }).forward(x).shape // same as x
 */
export class PartitionAttention extends nn.Module implements ResidualStep {
  readonly attnLayer: nn.Sequential;
  readonly mlpLayer: nn.Sequential;
  readonly stochasticDepth: nn.StochasticDepth;
  readonly #squares: Squares;
  readonly #attentionNorm: LayerNorm;
  readonly #attention: RelativeAttention;
  readonly #mlpNorm: LayerNorm;
  readonly #mlp: nn.Sequential;

  constructor(channels: number, { axis, partitionSize, stochasticDepth }: PartitionAttentionOptions) {
    super();
    this.#squares = { axis, side: partitionSize };
    this.#attentionNorm = new LayerNorm(channels);
    this.#attention = new RelativeAttention(channels, { headWidth, side: partitionSize });
    this.attnLayer = new nn.Sequential(this.#attentionNorm, this.#attention);
    this.#mlpNorm = new LayerNorm(channels);
    const mlp = [new nn.Linear(channels, 4 * channels), new nn.GELU(), new nn.Linear(4 * channels, channels)];
    this.#mlp = new nn.Sequential(...mlp);
    this.mlpLayer = new nn.Sequential(this.#mlpNorm, ...mlp);
    this.stochasticDepth = new nn.StochasticDepth(stochasticDepth);
  }

  forward(input: Tensor): Tensor {
    return tidy(() => {
      const { stream, branch } = this.step({ stream: input.permute([0, 2, 3, 1]).contiguous() });
      return addBranch(stream, branch).permute([0, 3, 1, 2]);
    });
  }

  /** The stream is a map [batch, height, width, channels]. */
  step({ stream, branch: before }: Residual): Required<Residual> {
    const { stochasticDepth } = this;
    const squares = this.#squares;
    return tidy(() => {
      const start = residualNorm(this.#attentionNorm, stream, { branch: before, squares });
      const values = tidy(() => this.#attention.forward(start.normed));
      const branch = { values, stochasticDepth, squares };
      const { sum, normed } = residualNorm(this.#mlpNorm, start.sum, { branch });
      return { stream: sum, branch: { values: this.#mlp.forward(normed), stochasticDepth } };
    });
  }
}
