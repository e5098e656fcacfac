// The vision transformer that ViT, DeiT III, DINOv2 and DINOv3 have in common; vit.ts and dino.ts say how they differ.
//
// Names as in torchvision's vit_b_16. The first tokens are added to rows of zeros before the patches, which gives the same sums as
// concatenating them.

import { cat, empty, nn, type Tensor, tidy, zeros } from '@anyclass/torch';
import { UserError } from '../errors/userError.js';
import { classHead } from './layers/classHead.js';
import { EncoderLayer } from './layers/encoderLayer.js';
import { LayerNorm } from './layers/layerNorm.js';
import { PatchConv } from './layers/patchConv.js';
import { residualNorm, throughSteps } from './layers/residualNorm.js';
import { imageRotation, type Rotation } from './layers/rotaryAttention.js';
import { Network, type SharedOptions } from './network.js';

export interface TransformerShape {
  readonly width: number;
  readonly heads: number;
  /** Learned for the class token and the patches, learned for the patches alone, or angles of rotation. */
  readonly positions: 'all' | 'patches' | 'rotary';
  /** Tokens after the class token that hold no part of the image. */
  readonly registers: number;
  readonly layerScale?: number;
  readonly mlp: 'gelu' | 'swiglu';
  readonly eps: number;
}

export type TransformerOptions = SharedOptions & {
  readonly patchSize: number;
  readonly stochasticDepth: number;
};

const depth = 12;

/** What comes before the layers, then each layer. */
export const transformerStages: readonly string[] = [
  'class_token register_tokens conv_proj. encoder.pos_embedding',
  ...Array.from({ length: depth }, (_, i) => `encoder.layers.encoder_layer_${i}.`),
];

export class VisionTransformer extends Network<TransformerOptions> {
  readonly classToken: nn.Parameter;
  readonly registerTokens: nn.Parameter | null;
  readonly convProj: nn.Conv2d;
  readonly encoder: Encoder;
  readonly heads: nn.Sequential;
  readonly headPrefix = 'heads.';
  readonly #head: nn.Layer;

  constructor(name: string, options: TransformerOptions, shape: TransformerShape) {
    super(name, options);
    const { classes, channels, inputSize, patchSize, head } = options;
    const { width, registers } = shape;
    if (inputSize % patchSize !== 0) {
      throw new UserError(`${name}: patchSize ${patchSize} does not divide inputSize ${inputSize}`);
    }
    this.classToken = new nn.Parameter(zeros([1, 1, width]));
    this.registerTokens = registers > 0 ? new nn.Parameter(empty([1, registers, width])) : null;
    if (this.registerTokens) nn.init.normal_(this.registerTokens, 0, 0.02);
    this.convProj = new PatchConv(channels, width, patchSize);
    const deviation = Math.sqrt(1 / nn.init.fan(this.convProj.weight, 'fanIn'));
    nn.init.truncatedNormal_(this.convProj.weight, 0, deviation);
    nn.init.constant_(this.convProj.bias!, 0);
    this.encoder = new Encoder(inputSize / patchSize, shape, options);
    const initialize = (weight: Tensor) => nn.init.constant_(weight, 0);
    this.#head = classHead(width, { classes, head, initialize });
    this.heads = new nn.Sequential({ head: this.#head });
  }

  /**
   * Returns the normalized tokens: the class token, registers, then the patches in row-major order; [batch, 197, 768] for
   * vit-b-16 at 224 px.
   */
  forwardFeatures(images: Tensor): Tensor {
    const { inputSize } = this.options;
    const [, , rows, columns] = images.shape;
    if (rows !== inputSize || columns !== inputSize) {
      throw new RangeError(
        `${this.name}: images of ${rows}x${columns} px, but the network was built for inputSize ${inputSize}`,
      );
    }
    return tidy(() => this.encoder.forward(tidy(() => this.#tokens(images))));
  }

  override maps(features: Tensor): Tensor {
    const [batch = 0, length = 0, width = 0] = features.shape;
    const side = this.options.inputSize / this.options.patchSize;
    const patches = features.narrow(1, length - side ** 2, side ** 2);
    return patches.transpose(1, 2).reshape([batch, width, side, side]);
  }

  /** Returns the class token. */
  pooled(features: Tensor): Tensor {
    return features.select(1, 0);
  }

  protected classLayer(): nn.Layer {
    return this.#head;
  }

  /** The name of the last attention: its input is the last that the class token learns about the patches. */
  get lastAttention(): string {
    return `encoder.layers.encoder_layer_${depth - 1}.self_attention`;
  }

  #tokens(images: Tensor): Tensor {
    const patches = this.convProj.forward(images).flatten(2).transpose(1, 2);
    const [, cells = 0] = patches.shape;
    const first = this.registerTokens ? cat([this.classToken, this.registerTokens], 1) : this.classToken;
    const [, prefix = 0] = first.shape;
    const padded = nn.functional.pad(first, [0, 0, 0, cells]);
    const positions = this.encoder.posEmbedding;
    const isForPatches = positions?.shape[1] === cells;
    const start = positions
      ? (isForPatches ? nn.functional.pad(positions, [0, 0, prefix, 0]) : positions).add(padded)
      : padded;
    return nn.functional.pad(patches, [0, 0, prefix, 0]).add(start);
  }
}

class Encoder extends nn.Module {
  readonly posEmbedding: nn.Parameter | null;
  /** The angles' cosines and sines: buffers, so that they move with the network, but no file has them. */
  readonly cosine: Tensor | undefined;
  readonly sine: Tensor | undefined;
  readonly layers: nn.Sequential;
  readonly ln: LayerNorm;
  readonly #layers: readonly EncoderLayer[];

  constructor(side: number, shape: TransformerShape, { stochasticDepth }: TransformerOptions) {
    super();
    const { width, heads, positions, registers, eps } = shape;
    const rotation: Rotation | undefined =
      positions === 'rotary'
        ? imageRotation({ side, prefix: 1 + registers, headWidth: width / heads })
        : undefined;
    this.posEmbedding = rotation
      ? null
      : new nn.Parameter(empty([1, side ** 2 + (positions === 'all' ? 1 : 0), width]));
    if (this.posEmbedding) nn.init.normal_(this.posEmbedding, 0, 0.02);
    this.cosine = rotation?.cosine;
    this.sine = rotation?.sine;
    this.#layers = Array.from(
      { length: depth },
      (_, i) =>
        new EncoderLayer({ ...shape, rotation, stochasticDepth: (stochasticDepth * i) / (depth - 1) }),
    );
    this.layers = new nn.Sequential(
      Object.fromEntries(this.#layers.map((layer, i) => [`encoder_layer_${i}`, layer])),
    );
    this.ln = new LayerNorm(width, { eps });
  }

  forward(tokens: Tensor): Tensor {
    return tidy(() => {
      const { stream, branch } = throughSteps(this.#layers, tokens);
      return residualNorm(this.ln, stream, { branch }).normed;
    });
  }
}
