// One layer of a vision transformer: attention and an MLP, each on normed tokens and added to the stream, scaled per channel if
// the network has layer scale (Touvron et al., "Going deeper with Image Transformers", arXiv 2103.17239). The MLP may be gated:
// Shazeer, "GLU Variants Improve Transformer", arXiv 2002.05202.

import { nn, ones, type Tensor, tidy } from '@anyclass/torch';
import { LayerNorm } from './layerNorm.js';
import { addBranch, type Residual, type ResidualStep, residualNorm } from './residualNorm.js';
import { RotaryAttention, type Rotation } from './rotaryAttention.js';
import { scaleOutputs } from './scaledLinear.js';

export interface EncoderLayerOptions {
  readonly width: number;
  readonly heads: number;
  readonly eps: number;
  readonly mlp: 'gelu' | 'swiglu';
  /** The initial scale of each branch; no scale if undefined. */
  readonly layerScale?: number | undefined;
  readonly stochasticDepth: number;
  /** Turns queries and keys by angles that depend on their positions. */
  readonly rotation?: Rotation | undefined;
}

/**
 * Maps tokens [batch, length, width] to the same shape. Names as in torchvision's ViT.
 *
 * @example
 * new EncoderLayer({ width: 384, heads: 6, eps: 1e-6, mlp: 'gelu', stochasticDepth: 0 }).forward(tokens)
 */
export class EncoderLayer extends nn.Module implements ResidualStep {
  readonly #attentionNorm: LayerNorm;
  readonly #attention: nn.Layer;
  readonly #mlpNorm: LayerNorm;
  readonly #mlp: nn.Layer;
  /** The last layer of each branch. */
  readonly #outputs: readonly nn.Linear[];
  #scales: readonly LayerScale[];
  readonly #stochasticDepth: nn.StochasticDepth;

  constructor(options: EncoderLayerOptions) {
    super();
    const { width, heads, eps, mlp, layerScale, stochasticDepth, rotation } = options;
    this.#attentionNorm = new LayerNorm(width, { eps });
    const attention = rotation
      ? new RotaryAttention(width, heads, rotation)
      : new nn.MultiheadAttention(width, heads);
    this.#attention = attention;
    this.#mlpNorm = new LayerNorm(width, { eps });
    const [layers, mlpOutput] = mlp === 'gelu' ? geluMlp(width) : gatedMlp(width);
    this.#mlp = layers;
    this.#outputs = [attention.outProj, mlpOutput];
    this.#scales =
      layerScale === undefined ? [] : [new LayerScale(width, layerScale), new LayerScale(width, layerScale)];
    this.#stochasticDepth = new nn.StochasticDepth(stochasticDepth);
  }

  protected override *members(): Iterable<[string, unknown]> {
    yield ['ln_1', this.#attentionNorm];
    yield ['self_attention', this.#attention];
    yield ['ls_1', this.#scales[0]];
    yield ['ln_2', this.#mlpNorm];
    yield ['mlp', this.#mlp];
    yield ['ls_2', this.#scales[1]];
    yield ['stochastic_depth', this.#stochasticDepth];
  }

  forward(input: Tensor): Tensor {
    return tidy(() => {
      const { stream, branch } = this.step({ stream: input });
      return addBranch(stream, branch);
    });
  }

  step({ stream, branch: before }: Residual): Required<Residual> {
    return tidy(() => {
      const stochasticDepth = this.#stochasticDepth;
      const [attentionScale, mlpScale] = this.#scales;
      const scaled = (x: Tensor, scale: LayerScale | undefined) => (scale ? scale.forward(x) : x);
      const start = residualNorm(this.#attentionNorm, stream, { branch: before });
      const attended = tidy(() => scaled(this.#attention.forward(start.normed), attentionScale));
      const branch = { values: attended, stochasticDepth };
      const { sum, normed } = residualNorm(this.#mlpNorm, start.sum, { branch });
      const values = tidy(() => scaled(this.#mlp.forward(normed), mlpScale));
      return { stream: sum, branch: { values, stochasticDepth } };
    });
  }

  /** Folds the layer scale into the layers before it. */
  fold(): void {
    for (const [i, scale] of this.#scales.entries()) {
      scaleOutputs(this.#outputs[i]!, scale.gamma);
      scale.dispose();
    }
    this.#scales = [];
  }
}

class LayerScale extends nn.Module {
  readonly gamma: nn.Parameter;

  constructor(width: number, initial: number) {
    super();
    this.gamma = new nn.Parameter(ones([width]).mul(initial));
  }

  forward(x: Tensor): Tensor {
    return x.mul(this.gamma.to(x.dtype));
  }
}

// Numbered like torchvision's layers, which include dropouts.
function geluMlp(width: number): [nn.Layer, nn.Linear] {
  const [into, out] = [new nn.Linear(width, 4 * width), new nn.Linear(4 * width, width)];
  for (const layer of [into, out]) initialize(layer);
  return [new nn.Sequential({ 0: into, 1: new nn.GELU(), 3: out }), out];
}

function gatedMlp(width: number): [nn.Layer, nn.Linear] {
  const mlp = new GatedMlp(width);
  return [mlp, mlp.downProj];
}

/** SwiGLU: one product opens the gates of the other. */
class GatedMlp extends nn.Module {
  readonly gateProj: nn.Linear;
  readonly upProj: nn.Linear;
  readonly downProj: nn.Linear;

  constructor(width: number) {
    super();
    this.gateProj = new nn.Linear(width, 4 * width);
    this.upProj = new nn.Linear(width, 4 * width);
    this.downProj = new nn.Linear(4 * width, width);
    for (const layer of [this.gateProj, this.upProj, this.downProj]) initialize(layer);
  }

  forward(x: Tensor): Tensor {
    return tidy(() =>
      this.downProj.forward(nn.functional.silu(this.gateProj.forward(x)).mul(this.upProj.forward(x))),
    );
  }
}

function initialize({ weight, bias }: nn.Linear): void {
  nn.init.xavierUniform_(weight);
  nn.init.normal_(bias!, 0, 1e-6);
}
