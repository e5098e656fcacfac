// Class heads that look at the cells of a map instead of their average.

import { full, nn, type Tensor, tidy } from '@anyclass/torch';

/**
 * Generalized-mean pooling before a linear layer. Radenović et al., "Fine-tuning CNN Image Retrieval with No Human Annotation",
 * arXiv 1711.02512: the p-th root of the mean p-th power, between the average (p = 1) and the maximum, with a learned p. Small
 * objects count for more than in an average. Negative values count as 0.
 *
 * @example
 * new GeneralizedMean(512, 17).forward(maps).shape // [batch, 17]
 */
export class GeneralizedMean extends nn.Module {
  readonly p: nn.Parameter;
  readonly fc: nn.Linear;

  constructor(width: number, classes: number, initialize?: (weight: Tensor) => void) {
    super();
    this.p = new nn.Parameter(full([1], 3));
    this.fc = new nn.Linear(width, classes);
    if (initialize) {
      initialize(this.fc.weight);
      nn.init.constant_(this.fc.bias!, 0);
    }
  }

  forward(maps: Tensor): Tensor {
    return tidy(() => {
      const powers = maps.clamp(1e-6).pow(this.p).mean([2, 3]);
      return this.fc.forward(powers.pow(this.p.reciprocal()));
    });
  }
}

/**
 * Class-specific residual attention. Zhu & Wu, "Residual Attention: A Simple but Effective Method for Multi-Label Recognition",
 * arXiv 2108.02456: each class scores every cell, and its logit is the mean score plus λ times the mean weighted by the softmax of
 * the class's own scores. With λ = 0 it is average pooling and a linear layer.
 *
 * @example
 * new ResidualAttention(2048, 17).forward(maps).shape // [batch, 17]
 */
export class ResidualAttention extends nn.Module {
  readonly head: nn.Conv2d;

  constructor(width: number, classes: number) {
    super();
    this.head = new nn.Conv2d(width, classes, { kernel: 1, bias: false });
  }

  forward(maps: Tensor): Tensor {
    return tidy(() => {
      // Scores are projections on the classes' directions: the weights' lengths do not count.
      const lengths = this.head.weight.flatten(1).norm(2, [1]).view([1, -1, 1]);
      const scores = this.head.forward(maps).flatten(2).div(lengths);
      const attended = scores.mul(scores.softmax(-1)).sum([2]);
      return scores.mean([2]).add(attended, { alpha: attentionShare });
    });
  }
}

/** λ. */
const attentionShare = 0.1;
