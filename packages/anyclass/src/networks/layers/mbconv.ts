// The inverted bottleneck with squeeze-excite. Sandler et al., "MobileNetV2", arXiv 1801.04381; Tan & Le, "EfficientNet",
// arXiv 1905.11946. As in MaxViT, batch norm comes first, and the shortcut averages if the block halves the map.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import { ActivatedBatchNorm, type ActivatedBatchNormOptions } from './activatedBatchNorm.js';
import { ConvNorm } from './convNorm.js';
import { DepthwiseConv } from './depthwiseConv.js';
import { HalvingPool } from './halvingPool.js';
import { PointwiseConv } from './pointwiseConv.js';
import { addBranch } from './residualNorm.js';
import { SqueezeExcite } from './squeezeExcite.js';

export interface MBConvOptions {
  readonly stride: 1 | 2;
  readonly norm: ActivatedBatchNormOptions;
  readonly stochasticDepth: number;
}

const expansion = 4;

/**
 * An MBConv block with its shortcut.
 *
 * @example
 * new MBConv(64, 128, { stride: 2, norm: { activation: 'gelu' }, stochasticDepth: 0 }).forward(x) // half the map
 */
export class MBConv extends nn.Module {
  readonly proj: nn.Sequential | null;
  readonly layers: Branch;
  readonly stochasticDepth: nn.StochasticDepth;

  constructor(inputs: number, outputs: number, { stride, norm, stochasticDepth }: MBConvOptions) {
    super();
    this.proj = stride === 1 ? null : shortcut(inputs, outputs);
    this.layers = new Branch(inputs, outputs, stride, norm);
    this.stochasticDepth = new nn.StochasticDepth(stochasticDepth);
  }

  forward(input: Tensor): Tensor {
    const { stochasticDepth } = this;
    const residual = this.proj ? this.proj.forward(input) : input;
    return addBranch(residual, { values: tidy(() => this.layers.forward(input)), stochasticDepth });
  }
}

class Branch extends nn.Module {
  readonly #preNorm: ActivatedBatchNorm;
  readonly #expand: ConvNorm;
  readonly #depthwise: ConvNorm;
  readonly #squeezeExcite: SqueezeExcite;
  readonly #project: PointwiseConv;
  #folded = false;

  constructor(inputs: number, outputs: number, stride: 1 | 2, norm: ActivatedBatchNormOptions) {
    super();
    const hidden = expansion * outputs;
    this.#preNorm = new ActivatedBatchNorm(inputs, { ...norm, activation: 'identity' });
    this.#expand = new ConvNorm(inputs, hidden, { kernel: 1, norm, convolution: PointwiseConv });
    this.#depthwise = new ConvNorm(hidden, hidden, {
      kernel: 3,
      stride,
      padding: 1,
      groups: hidden,
      norm,
      convolution: DepthwiseConv,
    });
    this.#squeezeExcite = new SqueezeExcite(hidden, { hidden: Math.trunc(outputs / 4), activation: 'silu' });
    this.#project = new PointwiseConv(hidden, outputs, { kernel: 1 });
  }

  protected override *members(): Iterable<[string, unknown]> {
    if (!this.#folded) yield ['pre_norm', this.#preNorm];
    yield ['conv_a', this.#expand];
    yield ['conv_b', this.#depthwise];
    yield ['squeeze_excitation', this.#squeezeExcite];
    yield ['conv_c', this.#project];
  }

  forward(input: Tensor): Tensor {
    const x = this.#expand.forward(this.#folded ? input : this.#preNorm.forward(input));
    return this.#project.forward(this.#squeezeExcite.forward(this.#depthwise.forward(x)));
  }

  /** Folds the first norm into the 1x1 convolution after it; without padding, this is exact. */
  fold(): void {
    if (this.#folded) return;
    this.#expand.fold(this.#preNorm);
    this.#preNorm.dispose();
    this.#folded = true;
  }
}

function shortcut(inputs: number, outputs: number): nn.Sequential {
  return new nn.Sequential(new HalvingPool(3), new PointwiseConv(inputs, outputs, { kernel: 1 }));
}
