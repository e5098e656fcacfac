// Swin. Liu et al., "Swin Transformer: Hierarchical Vision Transformer using Shifted Windows", arXiv 2103.14030.
//
// Names and initialization as in timm's swin_tiny_patch4_window7_224, which torchvision's swin_t equals at 224 px. At other sizes we
// follow timm: a map smaller than a window is one window of its own size, and other maps are padded to whole windows. A window's size
// follows from the image's halved and rounded down, though maps are rounded up.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import { UserError } from '../errors/userError.js';
import type { NetworkDefinition, NetworkFamily, OptionsOf, TrunkCost } from './definition.js';
import { layerDecay } from './fineTuning.js';
import { classHead } from './layers/classHead.js';
import { globalAverage } from './layers/globalAverage.js';
import { LayerNorm } from './layers/layerNorm.js';
import { PatchConv } from './layers/patchConv.js';
import {
  addBranch,
  type Residual,
  type ResidualStep,
  residualNorm,
  throughSteps,
} from './layers/residualNorm.js';
import { timmOffsets } from './layers/resizeGrid.js';
import { padToMultiple, WindowAttention } from './layers/windowAttention.js';
import { Network } from './network.js';
import { sharedFields } from './optionFields.js';
import { publishedWeights } from './published/published.generated.js';
import { type Renaming, renaming } from './renaming.js';

const fields = { stochasticDepth: sharedFields.stochasticDepth };

type Options = OptionsOf<typeof fields>;

type SwinName = 'swin-t' | 'swin-s';

export const swin: NetworkFamily<SwinName, typeof fields> = {
  'swin-t': member('swin-t', { parameters: 27_519_354, multiplyAdds: 4_489_798_656, features: 768 }),
  'swin-s': member('swin-s', { parameters: 48_837_258, multiplyAdds: 8_740_107_264, features: 768 }),
};

const blocksOf: Readonly<Record<SwinName, readonly number[]>> = {
  'swin-t': [2, 2, 6, 2],
  'swin-s': [2, 2, 18, 2],
};
const patchSize = 4;
const width = 96;
const headWidth = 32;
const windowSize = 7;

class Swin extends Network<Options> {
  readonly patchEmbed: PatchEmbedding;
  readonly layers: readonly Stage[];
  readonly norm: LayerNorm;
  readonly head: ClassHead;
  readonly headPrefix = 'head.fc.';

  constructor(name: SwinName, options: Options) {
    super(name, options);
    const { inputSize, channels, stochasticDepth } = options;
    if (inputSize % patchSize !== 0)
      throw new UserError(`${name}: inputSize is ${inputSize}; expected a multiple of ${patchSize}`);
    const blocks = blocksOf[name];
    const count = blocks.reduce((sum, layers) => sum + layers, 0);
    let block = 0;
    const grid = inputSize / patchSize;
    this.patchEmbed = new PatchEmbedding(channels);
    this.layers = blocks.map((layers, i) => {
      const skipped = Array.from({ length: layers }, () => (stochasticDepth * block++) / (count - 1));
      return new Stage(width * 2 ** i, { grid: grid / 2 ** i, merges: i > 0, skipped });
    });
    this.norm = new LayerNorm(8 * width);
    this.head = new ClassHead(8 * width, options);
    for (const [, module] of this.namedModules()) {
      if (module instanceof nn.Linear) {
        nn.init.truncatedNormal_(module.weight, 0, 0.02);
        if (module.bias) nn.init.constant_(module.bias, 0);
      }
    }
  }

  /** Returns the last stage's maps after the last norm, 1/32 of the image's width: [batch, 768, 7, 7] at 224 px. */
  forwardFeatures(images: Tensor): Tensor {
    const { inputSize } = this.options;
    const [, , rows, columns] = images.shape;
    if (rows !== inputSize || columns !== inputSize) {
      throw new RangeError(
        `${this.name}: images of ${rows}x${columns} px, but the network was built for inputSize ${inputSize}`,
      );
    }
    return tidy(() => {
      let x = this.patchEmbed.forward(images);
      for (const stage of this.layers) x = stage.forward(x);
      return this.norm.forward(x).permute([0, 3, 1, 2]);
    });
  }

  pooled(features: Tensor): Tensor {
    return globalAverage(features);
  }

  protected classLayer(): nn.Layer {
    return this.head.fc;
  }
}

class ClassHead extends nn.Module {
  readonly fc: nn.Layer;

  constructor(inputs: number, { classes, head }: Options) {
    super();
    this.fc = classHead(inputs, { classes, head });
  }
}

/** From images [batch, channels, height, width] to maps [batch, height / 4, width / 4, 96]. */
class PatchEmbedding extends nn.Module {
  readonly proj: nn.Conv2d;
  readonly norm: LayerNorm;

  constructor(channels: number) {
    super();
    this.proj = new PatchConv(channels, width, patchSize);
    this.norm = new LayerNorm(width);
  }

  forward(images: Tensor): Tensor {
    return residualNorm(this.norm, this.proj.forward(images).permute([0, 2, 3, 1])).normed;
  }
}

interface StageOptions {
  /** Side of the maps before rounding. */
  readonly grid: number;
  /** Whether the stage starts by merging squares of 2x2 cells. */
  readonly merges: boolean;
  /** The probability of being skipped for each block. */
  readonly skipped: readonly number[];
}

class Stage extends nn.Module {
  readonly downsample: PatchMerging | null;
  readonly blocks: nn.Sequential;
  readonly #blocks: readonly Block[];

  constructor(outputs: number, { grid, merges, skipped }: StageOptions) {
    super();
    this.downsample = merges ? new PatchMerging(outputs / 2) : null;
    this.#blocks = skipped.map(
      (probability, i) => new Block(outputs, { grid, isShifted: i % 2 === 1, probability }),
    );
    this.blocks = new nn.Sequential(...this.#blocks);
  }

  forward(input: Tensor): Tensor {
    return tidy(() => {
      const start = this.downsample ? this.downsample.forward(input) : input;
      const { stream, branch } = throughSteps(this.#blocks, start);
      return branch ? addBranch(stream, branch) : stream;
    });
  }
}

class PatchMerging extends nn.Module {
  readonly norm: LayerNorm;
  readonly reduction: nn.Linear;

  constructor(inputs: number) {
    super();
    this.norm = new LayerNorm(4 * inputs);
    this.reduction = new nn.Linear(4 * inputs, 2 * inputs, { bias: false });
  }

  forward(input: Tensor): Tensor {
    const map = padToMultiple(input, 2);
    const [batch = 0, height = 0, columns = 0, channels = 0] = map.shape;
    const squares = map
      .reshape([batch, height / 2, 2, columns / 2, 2, channels])
      .permute([0, 1, 3, 4, 2, 5])
      .reshape([batch, height / 2, columns / 2, 4 * channels]);
    return this.reduction.forward(residualNorm(this.norm, squares).normed);
  }
}

interface BlockOptions {
  readonly grid: number;
  /** Whether windows are shifted by half their size, if the map has more than one. */
  readonly isShifted: boolean;
  readonly probability: number;
}

class Block extends nn.Module implements ResidualStep {
  readonly norm1: LayerNorm;
  readonly attn: WindowAttention;
  readonly norm2: LayerNorm;
  readonly mlp: Mlp;
  readonly dropPath: nn.StochasticDepth;

  constructor(channels: number, { grid, isShifted, probability }: BlockOptions) {
    super();
    const side = Math.floor(grid);
    const shift = isShifted && side > windowSize ? Math.floor(windowSize / 2) : 0;
    const window = Math.min(side, windowSize);
    this.norm1 = new LayerNorm(channels);
    this.attn = new WindowAttention(channels, { window, shift, mapSide: Math.ceil(grid), headWidth });
    this.norm2 = new LayerNorm(channels);
    this.mlp = new Mlp(channels);
    this.dropPath = new nn.StochasticDepth(probability);
  }

  forward(input: Tensor): Tensor {
    return tidy(() => {
      const { stream, branch } = this.step({ stream: input });
      return addBranch(stream, branch);
    });
  }

  step({ stream, branch: before }: Residual): Required<Residual> {
    const { dropPath: stochasticDepth } = this;
    const { squares } = this.attn;
    return tidy(() => {
      const start = residualNorm(this.norm1, stream, { branch: before, squares });
      const values = tidy(() => this.attn.forward(start.normed));
      const branch = squares ? { values, stochasticDepth, squares } : { values, stochasticDepth };
      const { sum, normed } = residualNorm(this.norm2, start.sum, { branch });
      return { stream: sum, branch: { values: tidy(() => this.mlp.forward(normed)), stochasticDepth } };
    });
  }
}

class Mlp extends nn.Module {
  readonly fc1: nn.Linear;
  readonly fc2: nn.Linear;

  constructor(channels: number) {
    super();
    this.fc1 = new nn.Linear(channels, 4 * channels);
    this.fc2 = new nn.Linear(4 * channels, channels);
  }

  forward(x: Tensor): Tensor {
    return this.fc2.forward(nn.functional.gelu(this.fc1.forward(x)));
  }
}

function member(name: SwinName, trunk: TrunkCost): NetworkDefinition<typeof fields> {
  const size = name === 'swin-t' ? 'tiny' : 'small';
  return {
    paper: '2103.14030',
    trunk,
    stride: () => 32,
    sizes: () => ({ multipleOf: patchSize, least: 32, isTied: true }),
    headBias: true,
    options: fields,
    defaults: { stochasticDepth: name === 'swin-t' ? 0.2 : 0.3 },
    build: (options) => new Swin(name, options),
    stages: ['patch_embed.', 'layers.0.', 'layers.1.', 'layers.2.', 'layers.3.'],
    fineTuning: { layerRate: layerDecay(0.9), stochasticDepth: 0.1 },
    weights: {
      published: publishedWeights[name],
      stem: 'patch_embed.proj.weight',
      timm: {
        architecture: ({ inputSize }) => ({
          name: `swin_${size}_patch4_window7_224`,
          arguments: { img_size: inputSize },
        }),
        rename: (entry) => (isComputed(entry) ? undefined : entry),
        ends: { first_conv: 'patch_embed.proj', classifier: 'head.fc' },
      },
      conventions: [
        renaming("torchvision's Swin names", () => fromTorchvision),
        renaming("the authors' Swin names", () => fromAuthors),
        renaming("Hugging Face's Swin names", () => fromHuggingFace),
      ],
      resize: (entry, values, own) =>
        entry.endsWith('.relative_position_bias_table')
          ? timmOffsets(values, { cells: own.shape[0] ?? 0 })
          : undefined,
      isComputed,
    },
  };
}

function isComputed(entry: string): boolean {
  return entry.endsWith('.relative_position_index') || entry.endsWith('.regions');
}

// torchvision numbers stages and mergers together: 0 is the stem, 1 the first stage, 2 the next merger.
const fromTorchvision: Renaming = [
  [/^features\.0\.0\./, 'patch_embed.proj.'],
  [/^features\.0\.2\./, 'patch_embed.norm.'],
  [/^features\.([246])\./, (_, layer = '') => `layers.${Number(layer) / 2}.downsample.`],
  [
    /^features\.([1357])\.(\d+)\.(mlp\.[03]|[^.]+)\./,
    (_, layer = '', block = '', part = '') =>
      `layers.${(Number(layer) - 1) / 2}.blocks.${block}.${part.replace('mlp.0', 'mlp.fc1').replace('mlp.3', 'mlp.fc2')}.`,
  ],
  [/^norm\./, 'norm.'],
  [/^head\.(weight|bias)$/, 'head.fc.$1'],
];

// The authors, and timm's older files, merge at the end of a stage.
const fromAuthors: Renaming = [
  [/^(?=patch_embed\.|layers\.\d\.blocks\.|norm\.)/, ''],
  [/^layers\.(\d)\.downsample\./, (_, stage = '') => `layers.${Number(stage) + 1}.downsample.`],
  [/^head\.(weight|bias)$/, 'head.fc.$1'],
];

const stacked: Readonly<Record<string, number>> = { query: 0, key: 1, value: 2, q: 0, k: 1, v: 2 };
const hfParts: Readonly<Record<string, string>> = {
  layernorm_before: 'norm1',
  layernorm_after: 'norm2',
  'attention.output.dense': 'attn.proj',
  'intermediate.dense': 'mlp.fc1',
  'output.dense': 'mlp.fc2',
  'attention.o_proj': 'attn.proj',
  'mlp.fc1': 'mlp.fc1',
  'mlp.fc2': 'mlp.fc2',
};

const fromHuggingFace: Renaming = [
  [/^(?:swin\.)?embeddings\.patch_embeddings\.projection\./, 'patch_embed.proj.'],
  [/^(?:swin\.)?embeddings\.norm\./, 'patch_embed.norm.'],
  [
    /^(?:swin\.)?encoder\.layers\.(\d)\.downsample\./,
    (_, stage = '') => `layers.${Number(stage) + 1}.downsample.`,
  ],
  [
    /^(?:swin\.)?encoder\.layers\.(\d)\.blocks\.(\d+)\.attention\.(?:self\.(query|key|value)|([qkv])_proj)\.(weight|bias)$/,
    (_, stage = '', block = '', old?: string, part?: string, kind = '') =>
      `layers.${stage}.blocks.${block}.attn.qkv.${kind}#${stacked[old ?? part ?? '']}/3`,
  ],
  [
    /^(?:swin\.)?encoder\.layers\.(\d)\.blocks\.(\d+)\.attention\.(?:self|relative_position_bias)\.(?=relative)/,
    'layers.$1.blocks.$2.attn.',
  ],
  [
    /^(?:swin\.)?encoder\.layers\.(\d)\.blocks\.(\d+)\.(layernorm_before|layernorm_after|attention\.output\.dense|attention\.o_proj|intermediate\.dense|output\.dense|mlp\.fc[12])\./,
    (_, stage = '', block = '', part = '') => `layers.${stage}.blocks.${block}.${hfParts[part]}.`,
  ],
  [/^(?:swin\.)?layernorm\./, 'norm.'],
  [/^classifier\./, 'head.fc.'],
];
