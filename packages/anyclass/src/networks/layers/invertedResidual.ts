// The inverted bottleneck: expand, filter each channel, weight the channels, project, add the input. Sandler et al., "MobileNetV2",
// arXiv 1801.04381; with squeeze-excite: Howard et al., "Searching for MobileNetV3", arXiv 1905.02244. Fused, one convolution expands
// and filters: Tan & Le, "EfficientNetV2", arXiv 2104.00298. Names as in torchvision.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import type { ActivatedBatchNormOptions } from './activatedBatchNorm.js';
import { ConvNorm } from './convNorm.js';
import { addBranch } from './residualNorm.js';
import { SqueezeExcite, type SqueezeExciteOptions } from './squeezeExcite.js';

export interface InvertedResidualOptions {
  readonly kernel: 3 | 5;
  readonly stride: 1 | 2;
  /** Channels between expansion and projection; no expansion if the same as the inputs. */
  readonly expanded: number;
  readonly outputs: number;
  /** One full convolution instead of a 1x1 and a depthwise one. */
  readonly fused?: boolean;
  readonly squeeze?: SqueezeExciteOptions | undefined;
  readonly norm: ActivatedBatchNormOptions;
  readonly stochasticDepth?: number;
  /** The kind of the convolution that filters. Default nn.Conv2d. */
  readonly convolution?: typeof nn.Conv2d | undefined;
}

/**
 * Maps [batch, inputs, height, width] to [batch, outputs, height / stride, width / stride].
 *
 * @example
 * const norm = { activation: 'silu' } as const;
 * new InvertedResidual(24, { kernel: 3, stride: 2, expanded: 96, outputs: 48, norm }).forward(x) // half the map
 */
export class InvertedResidual extends nn.Module {
  readonly block: nn.Sequential;
  readonly stochasticDepth: nn.StochasticDepth;
  readonly #isResidual: boolean;

  constructor(inputs: number, options: InvertedResidualOptions) {
    super();
    this.#isResidual = options.stride === 1 && inputs === options.outputs;
    this.block = new nn.Sequential(
      ...(options.fused ? fusedLayers(inputs, options) : layers(inputs, options)),
    );
    this.stochasticDepth = new nn.StochasticDepth(options.stochasticDepth ?? 0);
  }

  forward(input: Tensor): Tensor {
    if (!this.#isResidual) return this.block.forward(input);
    const { stochasticDepth } = this;
    return tidy(() => addBranch(input, { values: this.block.forward(input), stochasticDepth }));
  }
}

function layers(inputs: number, options: InvertedResidualOptions): nn.Layer[] {
  const { kernel, stride, expanded, outputs, squeeze, norm, convolution = nn.Conv2d } = options;
  const padding = (kernel - 1) / 2;
  return [
    ...(expanded === inputs ? [] : [new ConvNorm(inputs, expanded, { kernel: 1, norm })]),
    new ConvNorm(expanded, expanded, { kernel, stride, padding, groups: expanded, norm, convolution }),
    ...(squeeze ? [new SqueezeExcite(expanded, squeeze)] : []),
    projection(expanded, outputs, norm),
  ];
}

function fusedLayers(inputs: number, options: InvertedResidualOptions): nn.Layer[] {
  const { kernel, stride, expanded, outputs, norm, convolution = nn.Conv2d } = options;
  const padding = (kernel - 1) / 2;
  const filter = new ConvNorm(inputs, expanded, { kernel, stride, padding, norm, convolution });
  return expanded === inputs ? [filter] : [filter, projection(expanded, outputs, norm)];
}

function projection(inputs: number, outputs: number, norm: ActivatedBatchNormOptions): ConvNorm {
  return new ConvNorm(inputs, outputs, { kernel: 1, norm: { ...norm, activation: 'identity' } });
}
