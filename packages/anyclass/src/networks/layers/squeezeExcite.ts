// Squeeze-and-Excitation. Hu et al., "Squeeze-and-Excitation Networks", arXiv 1709.01507.
// Both 1x1 convolutions have biases. They are computed as matrix products, since their maps have one pixel.

import { nn, type Tensor } from '@anyclass/torch';
import { globalAverage } from './globalAverage.js';
import { gpuOperator, isForKernels } from './gpuOperator.js';

const operator = gpuOperator('squeeze_excite');

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
    const channels = this.fc1.weight.shape[1] ?? 0;
    const fused = isFusable(x, channels) ? operator() : null;
    if (fused) {
      const { fc1, fc2 } = this;
      const [isSilu, isHard] = [this.#activation === 'silu', this.#gate === 'hardsigmoid'];
      return fused(x, fc1.weight, fc1.bias, fc2.weight, fc2.bias, isSilu, isHard)[0]!;
    }
    const extra = (x.shape[1] ?? 0) - channels; // zeros that pad the maps
    const scales = this.scales(globalAverage(x).narrow(1, 0, channels));
    const padded = extra === 0 ? scales : nn.functional.pad(scales, [0, extra]);
    return x.mul(padded.unsqueeze(-1).unsqueeze(-1));
  }

  /** Returns each channel's scale from the means of all: [batch, channels] of both. */
  scales(means: Tensor): Tensor {
    const squeezed = pointwise(means, this.fc1);
    const hidden = this.#activation === 'relu' ? squeezed.relu_() : nn.functional.silu(squeezed);
    const raw = pointwise(hidden, this.fc2);
    return this.#gate === 'sigmoid' ? raw.sigmoid() : nn.functional.hardsigmoid(raw);
  }

  /** Whether its layers are those of the fused kernels: ReLU between them, a sigmoid after them, and weights of float32. */
  get isFusable(): boolean {
    return this.#activation === 'relu' && this.#gate === 'sigmoid' && this.fc1.weight.dtype === 'float32';
  }

  multiplyAdds(input: Tensor): number {
    return (input.shape[0] ?? 1) * (this.fc1.weight.numel + this.fc2.weight.numel);
  }
}

/** Whether the kernels support this input: channels-last on a GPU, float32 or half precision, a multiple of 8 channels, none of them padding. */
function isFusable(x: Tensor, channels: number): boolean {
  const isWhole = x.ndim === 4 && x.shape[1] === channels && channels % 8 === 0;
  return isWhole && isForKernels(x) && x.isContiguous('channelsLast');
}

function pointwise(x: Tensor, { weight, bias }: nn.Conv2d): Tensor {
  return nn.functional.linear(x, weight.flatten(1), bias);
}
