// Squeeze-and-Excitation. Hu et al., "Squeeze-and-Excitation Networks", arXiv 1709.01507.
// Both 1x1 convolutions have biases. They are computed as matrix products, since their maps have one pixel.

import { nn, type Tensor } from '@anyclass/torch';
import { globalAverage } from './globalAverage.js';

export interface SqueezeExciteOptions {
  readonly hidden: number;
  readonly activation: 'relu' | 'silu';
  /** What turns the last layer's outputs into scales. Default 'sigmoid'. */
  readonly gate?: 'sigmoid' | 'hardsigmoid';
}

/**
 * Scales each channel by a number in (0, 1) that depends on the means of all channels.
 *
 * @example
 * new SqueezeExcite(128, { hidden: 64, activation: 'relu' }).forward(x).shape // same as x
 */
export class SqueezeExcite extends nn.Module {
  readonly fc1: nn.Conv2d;
  readonly fc2: nn.Conv2d;
  readonly #activation: 'relu' | 'silu';
  readonly #gate: 'sigmoid' | 'hardsigmoid';

  constructor(channels: number, { hidden, activation, gate = 'sigmoid' }: SqueezeExciteOptions) {
    super();
    this.fc1 = new nn.Conv2d(channels, hidden, { kernel: 1 });
    this.fc2 = new nn.Conv2d(hidden, channels, { kernel: 1 });
    this.#activation = activation;
    this.#gate = gate;
  }

  forward(x: Tensor): Tensor {
    const squeezed = pointwise(globalAverage(x), this.fc1);
    const hidden = this.#activation === 'relu' ? squeezed.relu_() : nn.functional.silu(squeezed);
    const raw = pointwise(hidden, this.fc2);
    const scale = this.#gate === 'sigmoid' ? raw.sigmoid() : nn.functional.hardsigmoid(raw);
    return x.mul(scale.unsqueeze(-1).unsqueeze(-1));
  }

  multiplyAdds(input: Tensor): number {
    return (input.shape[0] ?? 1) * (this.fc1.weight.numel + this.fc2.weight.numel);
  }
}

function pointwise(x: Tensor, { weight, bias }: nn.Conv2d): Tensor {
  return nn.functional.linear(x, weight.flatten(1), bias);
}
