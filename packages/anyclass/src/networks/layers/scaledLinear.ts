// A linear layer before layer scale. Touvron et al., "Going deeper with Image Transformers", arXiv 2103.17239.

import { nn, noGrad, type Tensor, tidy } from '@anyclass/torch';

/**
 * A linear layer whose outputs are multiplied by one number per channel if given. The weights are multiplied instead, which are far
 * fewer than the outputs: g · (W x + b) = (g W) x + g b.
 *
 * @example
 * new ScaledLinear(4, 2).forward(ones([3, 4]), zeros([2])) // zeros
 */
export class ScaledLinear extends nn.Linear {
  override forward(input: Tensor, scale: Tensor | null = null): Tensor {
    if (!scale) return super.forward(input);
    return nn.functional.linear(input, this.weight.mul(scale.unsqueeze(1)), this.bias?.mul(scale) ?? null);
  }
}

/**
 * Multiplies a layer's outputs for good, for inference.
 *
 * @example
 * scaleOutputs(linear, layerScale)
 */
export function scaleOutputs({ weight, bias }: nn.Linear, scale: Tensor): void {
  tidy(() =>
    noGrad(() => {
      weight.mul_(scale.unsqueeze(1));
      bias?.mul_(scale);
    }),
  );
}
