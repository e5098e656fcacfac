// ConvNeXt. Liu et al., "A ConvNet for the 2020s", arXiv 2201.03545, and V2: Woo et al., "ConvNeXt V2: Co-designing and Scaling
// ConvNets with Masked Autoencoders", arXiv 2301.00808, which replaces the layer scale by global response normalization.
//
// Names and initialization as in timm's convnext_tiny. The norms and MLPs run on maps with the channels last. DINOv3's ConvNeXts
// (Siméoni et al., "DINOv3", arXiv 2508.10104) are the same networks.

import { isGradEnabled, nn, ones, type Tensor, tidy, zeros } from '@anyclass/torch';
import type { NetworkDefinition, NetworkFamily, OptionsOf, TrunkCost } from './definition.js';
import { layerDecay } from './fineTuning.js';
import { classHead } from './layers/classHead.js';
import { globalAverage } from './layers/globalAverage.js';
import { isForKernels } from './layers/gpuOperator.js';
import { isWatched } from './layers/isWatched.js';
import { LayerNorm } from './layers/layerNorm.js';
import { PatchConv } from './layers/patchConv.js';
import { addBranch, residualNorm } from './layers/residualNorm.js';
import { ScaledLinear, scaleOutputs } from './layers/scaledLinear.js';
import { Network, onCells } from './network.js';
import { sharedFields } from './optionFields.js';
import { publishedWeights } from './published/published.generated.js';
import { type Renaming, renaming } from './renaming.js';

const fields = { stochasticDepth: sharedFields.stochasticDepth };

type Options = OptionsOf<typeof fields>;

type ConvNeXtName = 'convnext-t' | 'convnext-s' | 'convnext-b' | 'convnextv2-t';

export const convnext: NetworkFamily<ConvNeXtName, typeof fields> = {
  'convnext-t': member('convnext-t', { parameters: 27_820_128, multiplyAdds: 4_454_763_264, features: 768 }),
  'convnext-s': member('convnext-s', { parameters: 49_454_688, multiplyAdds: 8_682_944_256, features: 768 }),
  'convnext-b': member('convnext-b', {
    parameters: 87_566_464,
    multiplyAdds: 15_353_705_472,
    features: 1024,
  }),
  'convnextv2-t': member('convnextv2-t', {
    parameters: 27_866_496,
    multiplyAdds: 4_454_763_264,
    features: 768,
  }),
};

interface Shape {
  /** Blocks in each of the four stages. */
  readonly blocks: readonly [number, number, number, number];
  /** Channels of the first stage; they double with each stage. */
  readonly width: number;
  /** What follows the MLP's activation, or scales its output. */
  readonly scaling: 'layerScale' | 'responseNorm';
  /** The published probability of skipping the last block in training from scratch. */
  readonly stochasticDepth: number;
}

function shapeOf(name: ConvNeXtName): Shape {
  const scaling = 'layerScale';
  switch (name) {
    case 'convnext-t':
      return { blocks: [3, 3, 9, 3], width: 96, scaling, stochasticDepth: 0.1 };
    case 'convnext-s':
      return { blocks: [3, 3, 27, 3], width: 96, scaling, stochasticDepth: 0.4 };
    case 'convnext-b':
      return { blocks: [3, 3, 27, 3], width: 128, scaling, stochasticDepth: 0.5 };
    case 'convnextv2-t':
      return { blocks: [3, 3, 9, 3], width: 96, scaling: 'responseNorm', stochasticDepth: 0.2 };
  }
}

const eps = 1e-6;

class ConvNeXt extends Network {
  readonly stem: nn.Sequential;
  readonly stages: readonly Stage[];
  readonly head: ClassHead;
  readonly headPrefix = 'head.fc.';

  constructor(name: ConvNeXtName, options: Options) {
    super(name, options);
    const { blocks, width, scaling } = shapeOf(name);
    this.stem = new nn.Sequential(new PatchConv(options.channels, width, 4), new MapNorm(width));
    const count = blocks.reduce((sum, layers) => sum + layers, 0);
    let block = 0;
    this.stages = blocks.map((layers, i) => {
      const skipped = Array.from({ length: layers }, () => (options.stochasticDepth * block++) / (count - 1));
      return new Stage(i === 0 ? width : width * 2 ** (i - 1), width * 2 ** i, skipped, scaling);
    });
    this.head = new ClassHead(width * 8, options);
    for (const [, module] of this.namedModules()) {
      if (module instanceof nn.Conv2d || module instanceof nn.Linear) {
        nn.init.truncatedNormal_(module.weight, 0, 0.02);
        if (module.bias) nn.init.constant_(module.bias, 0);
      }
    }
  }

  /** Returns the last stage's maps, 1/32 of the image's width: [batch, 768, 7, 7] for convnext-t at 224 px. */
  forwardFeatures(images: Tensor): Tensor {
    return tidy(() => {
      let x = this.stem.forward(images);
      for (const stage of this.stages) x = stage.forward(x);
      return x;
    });
  }

  /** Returns the maps' average after the last norm. */
  pooled(features: Tensor): Tensor {
    return this.head.norm.forward(globalAverage(features));
  }

  protected override headMaps(features: Tensor): Tensor {
    return onCells(features, (cells) => this.head.norm.forward(cells));
  }

  protected classLayer(): nn.Layer {
    return this.head.fc;
  }
}

class ClassHead extends nn.Module {
  readonly norm: LayerNorm;
  readonly fc: nn.Layer;

  constructor(width: number, { classes, head }: Options) {
    super();
    this.norm = new LayerNorm(width, { eps });
    this.fc = classHead(width, { classes, head });
  }
}

class Stage extends nn.Module {
  readonly downsample: nn.Sequential | null;
  readonly blocks: nn.Sequential;

  /** Makes one block per entry of `skipped`, the probability of being skipped. */
  constructor(inputs: number, outputs: number, skipped: readonly number[], scaling: Shape['scaling']) {
    super();
    this.downsample =
      inputs === outputs ? null : new nn.Sequential(new MapNorm(inputs), new PatchConv(inputs, outputs, 2));
    this.blocks = new nn.Sequential(
      ...skipped.map((probability) => new Block(outputs, probability, scaling)),
    );
  }

  forward(input: Tensor): Tensor {
    return tidy(() => this.blocks.forward(this.downsample ? this.downsample.forward(input) : input));
  }
}

class Block extends nn.Module {
  readonly convDw: nn.Conv2d;
  readonly norm: LayerNorm;
  readonly mlp: Mlp;
  gamma: nn.Parameter | null;
  readonly dropPath: nn.StochasticDepth;

  constructor(width: number, skipped: number, scaling: Shape['scaling']) {
    super();
    this.convDw = new nn.Conv2d(width, width, { kernel: 7, padding: 3, groups: width });
    this.norm = new LayerNorm(width, { eps });
    this.mlp = new Mlp(width, scaling);
    this.gamma = scaling === 'layerScale' ? new nn.Parameter(ones([width]).mul(1e-6)) : null;
    this.dropPath = new nn.StochasticDepth(skipped);
  }

  forward(input: Tensor): Tensor {
    return tidy(() => {
      const values = this.mlp.forward(this.#normed(input), this.gamma).permute([0, 3, 1, 2]);
      return addBranch(input, { values, stochasticDepth: this.dropPath });
    });
  }

  /** Returns the normed result of the convolution, with the channels last. In inference on a GPU, the norm's kernel adds the bias, for which libtorch takes a pass. */
  #normed(input: Tensor): Tensor {
    const { convDw, norm } = this;
    if (isGradEnabled() || !isForKernels(input) || isWatched(convDw))
      return residualNorm(norm, convDw.forward(input).permute([0, 2, 3, 1])).normed;
    const { weight, bias: shift } = convDw;
    const map = nn.functional.conv2d(input, weight, null, 1, 3, 1, weight.shape[0]);
    return residualNorm(norm, map.permute([0, 2, 3, 1]), { shift: shift! }).normed;
  }

  /** Folds the layer scale into the MLP. */
  fold(): void {
    if (!this.gamma) return;
    scaleOutputs(this.mlp.fc2, this.gamma);
    this.gamma.dispose();
    this.gamma = null;
  }
}

class Mlp extends nn.Module {
  readonly fc1: nn.Linear;
  readonly grn: ResponseNorm | null;
  readonly fc2: ScaledLinear;

  constructor(width: number, scaling: Shape['scaling']) {
    super();
    this.fc1 = new nn.Linear(width, 4 * width);
    this.grn = scaling === 'responseNorm' ? new ResponseNorm(4 * width) : null;
    this.fc2 = new ScaledLinear(4 * width, width);
  }

  forward(input: Tensor, scale: Tensor | null): Tensor {
    return tidy(() => {
      const hidden = nn.functional.gelu(this.fc1.forward(input));
      return this.fc2.forward(this.grn ? this.grn.forward(hidden) : hidden, scale);
    });
  }
}

/** Scales each channel by its norm over the map, relative to the mean norm of all channels; maps are [batch, height, width, channels]. */
class ResponseNorm extends nn.Module {
  readonly weight: nn.Parameter;
  readonly bias: nn.Parameter;

  constructor(channels: number) {
    super();
    this.weight = new nn.Parameter(zeros([channels]));
    this.bias = new nn.Parameter(zeros([channels]));
  }

  forward(x: Tensor): Tensor {
    const norms = x.norm(2, [1, 2], true);
    const relative = norms.div(norms.mean([-1], true).add(eps));
    // x + (x · relative · weight + bias), in one pass over the map.
    const scale = relative.mul(this.weight).add(1);
    return this.bias.to(x.dtype).addcmul(x, scale.to(x.dtype));
  }
}

/** Layer norm over the channels of maps [batch, channels, height, width]. */
class MapNorm extends nn.Module {
  readonly #norm: LayerNorm;

  constructor(channels: number) {
    super();
    this.#norm = new LayerNorm(channels, { eps });
  }

  protected override *members(): Iterable<[string, unknown]> {
    yield ['weight', this.#norm.weight];
    yield ['bias', this.#norm.bias];
  }

  forward(map: Tensor): Tensor {
    return residualNorm(this.#norm, map.permute([0, 2, 3, 1])).normed.permute([0, 3, 1, 2]);
  }
}

function member(name: ConvNeXtName, trunk: TrunkCost): NetworkDefinition<typeof fields> {
  const timmName = name.replace('-t', '_tiny').replace('-s', '_small').replace('-b', '_base');
  const architecture = () => ({ name: timmName, arguments: {} });
  return {
    paper: name === 'convnextv2-t' ? '2301.00808' : '2201.03545',
    trunk,
    stride: () => 32,
    sizes: () => ({ multipleOf: 1, least: 32 }),
    headBias: true,
    options: fields,
    defaults: { stochasticDepth: shapeOf(name).stochasticDepth },
    build: (options) => new ConvNeXt(name, options),
    stages: ['stem.', 'stages.0.', 'stages.1.', 'stages.2.', 'stages.3.'],
    // The papers' decay from layer to layer, and stochastic depth, of fine-tuning after training on more classes.
    fineTuning: {
      layerRate: layerDecay(name === 'convnextv2-t' ? 0.9 : name === 'convnext-b' ? 0.8 : 0.7),
      stochasticDepth: name === 'convnext-t' ? 0.1 : 0.2,
    },
    weights: {
      published: publishedWeights[name],
      stem: 'stem.0.weight',
      timm: { architecture, ends: { first_conv: 'stem.0', classifier: 'head.fc' } },
      ...(name !== 'convnextv2-t' && {
        torchvision: { architecture, rename: toTorchvision, convert: toTorchvisionShape },
      }),
      conventions: [
        renaming("torchvision's ConvNeXt names", () => fromTorchvision),
        renaming("the authors' ConvNeXt names", () => fromAuthors),
        renaming("Hugging Face's ConvNeXt names", () => fromHuggingFace),
      ],
    },
  };
}

// torchvision numbers stages and downsampling layers together: 0 is the stem, 1 the first stage, 2 the next downsampling.
const fromTorchvision: Renaming = [
  [/^features\.0\.([01])\./, 'stem.$1.'],
  [
    /^features\.([246])\.([01])\./,
    (_, layer = '', part = '') => `stages.${Number(layer) / 2}.downsample.${part}.`,
  ],
  [
    /^features\.([1357])\.(\d+)\.(?:block\.([0235])\.|(layer_scale))/,
    (_, layer = '', block = '', part = '') =>
      `stages.${(Number(layer) - 1) / 2}.blocks.${block}.${blockParts[part] ?? 'gamma'}`,
  ],
  [/^classifier\.0\./, 'head.norm.'],
  [/^classifier\.2\./, 'head.fc.'],
];

const blockParts: Readonly<Record<string, string>> = {
  0: 'conv_dw.',
  2: 'norm.',
  3: 'mlp.fc1.',
  5: 'mlp.fc2.',
};

/** Converts our name to torchvision's; the mapping is one to one. */
function toTorchvision(name: string): string {
  const [, stage = '', block = '', part = ''] = /^stages\.(\d)\.blocks\.(\d+)\.(.+)$/.exec(name) ?? [];
  if (block !== '') {
    const layer = `features.${2 * Number(stage) + 1}.${block}`;
    const [number = '', own = ''] = Object.entries(blockParts).find(([, own]) => part.startsWith(own)) ?? [];
    return part === 'gamma' ? `${layer}.layer_scale` : `${layer}.block.${number}.${part.slice(own.length)}`;
  }
  return name
    .replace(/^stem\./, 'features.0.')
    .replace(/^stages\.(\d)\.downsample\./, (_, number: string) => `features.${2 * Number(number)}.`)
    .replace(/^head\.norm\./, 'classifier.0.')
    .replace(/^head\.fc\./, 'classifier.2.');
}

function toTorchvisionShape(name: string, values: Tensor): Tensor {
  return name.endsWith('.gamma') ? values.view([-1, 1, 1]) : values;
}

const fromAuthors: Renaming = [
  [/^downsample_layers\.0\./, 'stem.'],
  [/^downsample_layers\.([123])\./, 'stages.$1.downsample.'],
  [/^stages\.(\d)\.(\d+)\.dwconv\./, 'stages.$1.blocks.$2.conv_dw.'],
  [/^stages\.(\d)\.(\d+)\.(norm\.|gamma$)/, 'stages.$1.blocks.$2.$3'],
  [/^stages\.(\d)\.(\d+)\.pwconv([12])\./, 'stages.$1.blocks.$2.mlp.fc$3.'],
  [/^stages\.(\d)\.(\d+)\.grn\.gamma$/, 'stages.$1.blocks.$2.mlp.grn.weight'],
  [/^stages\.(\d)\.(\d+)\.grn\.beta$/, 'stages.$1.blocks.$2.mlp.grn.bias'],
  [/^norm\./, 'head.norm.'],
  [/^head\.(weight|bias)$/, 'head.fc.$1'],
];

// Those of ConvNextModel and ConvNextV2Model with and without a classifier, and of DINOv3ConvNextModel.
const fromHuggingFace: Renaming = [
  [/^(?:convnext(?:v2)?\.)?embeddings\.patch_embeddings\./, 'stem.0.'],
  [/^(?:convnext(?:v2)?\.)?embeddings\.layernorm\./, 'stem.1.'],
  [/^(?:model\.)?stages\.0\.downsample_layers\./, 'stem.'],
  [
    /^(?:convnext(?:v2)?\.encoder\.|encoder\.|model\.)?stages\.(\d)\.downsampl(?:ing_layer|e_layers)\./,
    'stages.$1.downsample.',
  ],
  [
    /^(?:convnext(?:v2)?\.encoder\.|encoder\.|model\.)?stages\.(\d)\.layers\.(\d+)\.(\w+)(?=\.|$)/,
    (_, stage = '', block = '', part = '') => `stages.${stage}.blocks.${block}.${layerParts[part] ?? part}`,
  ],
  [/^(?:convnext(?:v2)?\.)?layer_?norm\./, 'head.norm.'],
  [/^classifier\./, 'head.fc.'],
];

const layerParts: Readonly<Record<string, string>> = {
  dwconv: 'conv_dw',
  depthwise_conv: 'conv_dw',
  layernorm: 'norm',
  layer_norm: 'norm',
  pwconv1: 'mlp.fc1',
  pwconv2: 'mlp.fc2',
  pointwise_conv1: 'mlp.fc1',
  pointwise_conv2: 'mlp.fc2',
  grn: 'mlp.grn',
  layer_scale_parameter: 'gamma',
};
