// From features to one logit per class: a linear layer, or a separate small network for each class.

import { empty, nn, type Tensor, zeros } from '@anyclass/torch';

export interface ClassHeadOptions {
  readonly classes: number;
  /** One small network per class instead of one linear layer. */
  readonly expertHeads: boolean;
  readonly bias?: boolean;
  /** Fills the linear layer's weight and sets the bias to 0. Default: PyTorch's initialization. */
  readonly initialize?: (weight: Tensor) => void;
}

export function classHead(width: number, options: ClassHeadOptions): nn.Layer {
  const { classes, expertHeads, bias = true, initialize } = options;
  if (expertHeads) return new ExpertHeads(width, classes);
  const head = new nn.Linear(width, classes, { bias });
  if (initialize) {
    initialize(head.weight);
    if (head.bias) nn.init.constant_(head.bias, 0);
  }
  return head;
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
