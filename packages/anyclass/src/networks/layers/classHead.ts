// From features to one logit per class.

import { empty, nn, type Tensor, zeros } from '@anyclass/torch';
import { GeneralizedMean, ResidualAttention } from './mapHeads.js';
import { MlDecoder } from './mlDecoder.js';

/** What turns features into logits; see docs/networks.md. */
export const headNames = ['linear', 'experts', 'gem', 'csra', 'ml-decoder'] as const;

export type HeadName = (typeof headNames)[number];

/** The heads that look at the cells of a map instead of one vector per image. */
export const mapHeads: readonly HeadName[] = ['gem', 'csra', 'ml-decoder'];

export interface ClassHeadOptions {
  readonly classes: number;
  readonly head: HeadName;
  readonly bias?: boolean;
  /** Fills the linear layer's weight and sets the bias to 0. Default: PyTorch's initialization. */
  readonly initialize?: (weight: Tensor) => void;
}

/**
 * Makes a head for vectors [batch, width], or for maps with as many channels.
 *
 * @example
 * classHead(512, { classes: 17, head: 'csra' }).forward(maps).shape // [batch, 17]
 */
export function classHead(width: number, options: ClassHeadOptions): nn.Layer {
  const { classes, head, bias = true, initialize } = options;
  switch (head) {
    case 'experts':
      return new ExpertHeads(width, classes);
    case 'gem':
      return new GeneralizedMean(width, classes, initialize);
    case 'csra':
      return new ResidualAttention(width, classes);
    case 'ml-decoder':
      return new MlDecoder(width, classes);
    case 'linear': {
      const layer = new nn.Linear(width, classes, { bias });
      if (initialize) {
        initialize(layer.weight);
        if (layer.bias) nn.init.constant_(layer.bias, 0);
      }
      return layer;
    }
  }
}

const hiddenWidths = [128, 64] as const;
const dropout = 0.15;

/**
 * For each class: dropout, Linear 128, ReLU, dropout, Linear 64, ReLU, Linear 1, on shared features. The classes' layers
 * are in one tensor, [classes, outputs, inputs], so that each step is one product for all classes. The features' dropout is
 * therefore also shared by all classes.
 *
 * @example
 * new ExpertHeads(2048, 17).forward(features).shape // [batch, 17]
 */
export class ExpertHeads extends nn.Module {
  readonly weights: nn.Parameter[];
  readonly biases: nn.Parameter[];

  constructor(width: number, classes: number) {
    super();
    const widths = [width, ...hiddenWidths, 1];
    const sizes = widths.slice(1).map((outputs, i) => [classes, outputs, widths[i] ?? 1] as const);
    this.weights = sizes.map((size) => new nn.Parameter(empty(size)));
    this.biases = sizes.map(([, outputs]) => new nn.Parameter(zeros([classes, outputs, 1])));
    sizes.forEach(([, , inputs], i) => {
      nn.init.normal_(this.weights[i]!, 0, Math.sqrt(2 / inputs));
    });
  }

  forward(features: Tensor): Tensor {
    // Columns are examples: [classes, width, batch]. All classes share the input of the first product.
    let x = this.#dropped(features).transpose(0, 1).unsqueeze(0);
    this.weights.forEach((weight, i) => {
      if (i > 0) x = i === 1 ? this.#dropped(x.relu()) : x.relu();
      x = weight.matmul(x).add(this.biases[i]!);
    });
    return x.squeeze(1).transpose(0, 1);
  }

  multiplyAdds(input: Tensor): number {
    const weights = this.weights.reduce((sum, weight) => sum + weight.numel, 0);
    return (input.shape[0] ?? 1) * weights;
  }

  #dropped(x: Tensor): Tensor {
    return nn.functional.dropout(x, dropout, this.training);
  }
}
