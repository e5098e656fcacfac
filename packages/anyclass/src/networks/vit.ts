// ViT. Dosovitskiy et al., "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale", arXiv 2010.11929.
//
// Names and initialization as in torchvision's vit_b_16. The class token is added to a row of zeros before the patches,
// which gives the same sums as concatenating it with them.

import { empty, nn, type Tensor, tidy, zeros } from '@anyclass/torch';
import { UserError } from '../errors/userError.js';
import type { NetworkFamily, OptionsOf } from './definition.js';
import { classHead } from './layers/classHead.js';
import { LayerNorm } from './layers/layerNorm.js';
import {
  addBranch,
  type Residual,
  type ResidualStep,
  residualNorm,
  throughSteps,
} from './layers/residualNorm.js';
import { resizeGrid } from './layers/resizeGrid.js';
import { Network } from './network.js';
import { positiveInteger } from './optionFields.js';
import { publishedWeights } from './published/published.generated.js';

const fields = {
  patchSize: positiveInteger.describe('ViT: side of a patch in pixels'),
};

type Options = OptionsOf<typeof fields>;

export const vit: NetworkFamily<'vit-b-16', typeof fields> = {
  'vit-b-16': {
    paper: '2010.11929',
    trunk: { parameters: 85_798_656, multiplyAdds: 17_563_060_224, features: 768 },
    stride: ({ patchSize }) => patchSize,
    headBias: true,
    options: fields,
    defaults: { patchSize: 16 },
    build: (options) => new VisionTransformer('vit-b-16', options),
    weights: {
      published: publishedWeights['vit-b-16'],
      stem: 'conv_proj.weight',
      timm: {
        architecture: ({ inputSize, patchSize }) => ({
          name: 'vit_base_patch16_224',
          arguments: { img_size: inputSize, patch_size: patchSize },
        }),
        rename: toTimm,
        ends: { first_conv: 'patch_embed.proj', classifier: 'head' },
      },
      torchvision: { architecture: torchvisionArchitecture },
      conventions: [
        { title: "torchvision's ViT names of 2022", translate: fromOldTorchvision },
        { title: "timm's ViT names", translate: fromTimm },
      ],
      resize: resizePositions,
      // Some files have no such bias; a fresh network's zeros are then right.
      hasDefault: (entry) => entry.endsWith('.in_proj_bias'),
      optionsOf,
    },
  },
};

const width = 768;
const depth = 12;
const heads = 12;
const mlpWidth = 3072;
const eps = 1e-6;

class VisionTransformer extends Network<Options> {
  readonly classToken: nn.Parameter;
  readonly convProj: nn.Conv2d;
  readonly encoder: Encoder;
  readonly heads: nn.Sequential;
  readonly headPrefix = 'heads.';

  constructor(name: 'vit-b-16', options: Options) {
    super(name, options);
    const { classes, inputSize, patchSize, expertHeads } = options;
    if (inputSize % patchSize !== 0) {
      throw new UserError(`${name}: patchSize ${patchSize} does not divide inputSize ${inputSize}`);
    }
    this.classToken = new nn.Parameter(zeros([1, 1, width]));
    this.convProj = new nn.Conv2d(options.channels, width, { kernel: patchSize, stride: patchSize });
    const deviation = Math.sqrt(1 / nn.init.fan(this.convProj.weight, 'fanIn'));
    nn.init.truncatedNormal_(this.convProj.weight, 0, deviation);
    nn.init.constant_(this.convProj.bias!, 0);
    this.encoder = new Encoder((inputSize / patchSize) ** 2 + 1);
    const initialize = (weight: Tensor) => nn.init.constant_(weight, 0);
    this.heads = new nn.Sequential({ head: classHead(width, { classes, expertHeads, initialize }) });
  }

  /** Returns the normalized tokens: the class token, then the patches in row-major order; [batch, 197, 768] at 224 px. */
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

  /** Returns the class token. */
  pooled(features: Tensor): Tensor {
    return features.select(1, 0);
  }

  forwardHead(features: Tensor): Tensor {
    return this.heads.forward(this.pooled(features));
  }

  #tokens(images: Tensor): Tensor {
    const patches = this.convProj.forward(images).flatten(2).transpose(1, 2);
    const tokens = nn.functional.pad(patches, [0, 0, 1, 0]);
    const positions = this.encoder.posEmbedding;
    const [, length = 1] = positions.shape;
    const start = positions.add(nn.functional.pad(this.classToken, [0, 0, 0, length - 1]));
    return tokens.add(start);
  }
}

class Encoder extends nn.Module {
  readonly posEmbedding: nn.Parameter;
  readonly layers: nn.Sequential;
  readonly ln: LayerNorm;
  readonly #layers: readonly EncoderLayer[];

  constructor(length: number) {
    super();
    this.posEmbedding = new nn.Parameter(empty([1, length, width]));
    nn.init.normal_(this.posEmbedding, 0, 0.02);
    this.#layers = Array.from({ length: depth }, () => new EncoderLayer());
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

class EncoderLayer extends nn.Module implements ResidualStep {
  readonly #attentionNorm = new LayerNorm(width, { eps });
  readonly #attention = new nn.MultiheadAttention(width, heads);
  readonly #mlpNorm = new LayerNorm(width, { eps });
  readonly #mlp = mlp();

  protected override *members(): Iterable<[string, unknown]> {
    yield ['ln_1', this.#attentionNorm];
    yield ['self_attention', this.#attention];
    yield ['ln_2', this.#mlpNorm];
    yield ['mlp', this.#mlp];
  }

  forward(input: Tensor): Tensor {
    return tidy(() => {
      const { stream, branch } = this.step({ stream: input });
      return addBranch(stream, branch);
    });
  }

  step({ stream, branch: before }: Residual): Required<Residual> {
    return tidy(() => {
      const start = residualNorm(this.#attentionNorm, stream, { branch: before });
      const branch = { values: tidy(() => this.#attention.forward(start.normed)) };
      const { sum, normed } = residualNorm(this.#mlpNorm, start.sum, { branch });
      return { stream: sum, branch: { values: this.#mlp.forward(normed) } };
    });
  }
}

// Numbered like torchvision's layers, which include dropouts.
function mlp(): nn.Sequential {
  const [into, out] = [new nn.Linear(width, mlpWidth), new nn.Linear(mlpWidth, width)];
  for (const { weight, bias } of [into, out]) {
    nn.init.xavierUniform_(weight);
    nn.init.normal_(bias!, 0, 1e-6);
  }
  return new nn.Sequential({ 0: into, 1: new nn.GELU(), 3: out });
}

// torchvision 0.12 and its published vit_b_16 weights number the MLP's layers from 1.
function fromOldTorchvision(name: string): string[] {
  return [name.replace('.mlp.linear_1.', '.mlp.0.').replace('.mlp.linear_2.', '.mlp.3.')];
}

const timmNames: readonly (readonly [RegExp, string])[] = [
  [/^cls_token$/, 'class_token'],
  [/^pos_embed$/, 'encoder.pos_embedding'],
  [/^patch_embed\.proj\./, 'conv_proj.'],
  [/^norm\./, 'encoder.ln.'],
  [/^head\./, 'heads.head.'],
  [/^blocks\.(\d+)\.norm([12])\./, 'encoder.layers.encoder_layer_$1.ln_$2.'],
  [/^blocks\.(\d+)\.attn\.qkv\./, 'encoder.layers.encoder_layer_$1.self_attention.in_proj_'],
  [/^blocks\.(\d+)\.attn\.proj\./, 'encoder.layers.encoder_layer_$1.self_attention.out_proj.'],
  [/^blocks\.(\d+)\.mlp\.fc1\./, 'encoder.layers.encoder_layer_$1.mlp.0.'],
  [/^blocks\.(\d+)\.mlp\.fc2\./, 'encoder.layers.encoder_layer_$1.mlp.3.'],
];

function fromTimm(name: string): string[] {
  return timmNames.filter(([from]) => from.test(name)).map(([from, to]) => name.replace(from, to));
}

/** Converts our name to timm's; the mapping is one to one. */
function toTimm(name: string): string {
  const layer = /^encoder\.layers\.encoder_layer_(\d+)\.(.+)$/.exec(name);
  const [, number, rest = name] = layer ?? [];
  const parts = layer ? timmLayerParts : timmParts;
  const [from = '', to = ''] = parts.find(([own]) => rest.startsWith(own)) ?? [];
  return `${layer ? `blocks.${number}.` : ''}${to}${rest.slice(from.length)}`;
}

const timmParts: readonly (readonly [string, string])[] = [
  ['class_token', 'cls_token'],
  ['encoder.pos_embedding', 'pos_embed'],
  ['conv_proj.', 'patch_embed.proj.'],
  ['encoder.ln.', 'norm.'],
  ['heads.head.', 'head.'],
];

const timmLayerParts: readonly (readonly [string, string])[] = [
  ['ln_', 'norm'],
  ['self_attention.in_proj_', 'attn.qkv.'],
  ['self_attention.out_proj.', 'attn.proj.'],
  ['mlp.0.', 'mlp.fc1.'],
  ['mlp.3.', 'mlp.fc2.'],
];

function torchvisionArchitecture({ inputSize, patchSize }: Options) {
  if (patchSize === 16) return { name: 'vit_b_16', arguments: { image_size: inputSize } };
  throw new UserError(`torchvision builds vit_b_16 with patchSize 16; this network has ${patchSize}`);
}

/** The class token's position comes before those of the patches. */
function resizePositions(name: string, values: Tensor, entry: Tensor): Tensor | undefined {
  if (name !== 'encoder.pos_embedding') return undefined;
  return resizeGrid(values.select(0, 0), { cells: (entry.shape[1] ?? 0) - 1, extra: 1 }).unsqueeze(0);
}

function optionsOf(shapes: ReadonlyMap<string, readonly number[]>): { patchSize?: number } {
  const patchSize = shapes.get('conv_proj.weight')?.[2];
  return patchSize === undefined ? {} : { patchSize };
}
