// MobileNetV3. Howard et al., "Searching for MobileNetV3", arXiv 1905.02244.
//
// Names and initialization as in torchvision's mobilenet_v3_large, except that the classifier's first layer is part of the trunk
// here: `pooled` is its output.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import type { NetworkDefinition, NetworkFamily, OptionsOf, TrunkCost } from './definition.js';
import { classHead } from './layers/classHead.js';
import { ConvNorm } from './layers/convNorm.js';
import { globalAverage } from './layers/globalAverage.js';
import { initializeConvolutions } from './layers/initializeConvolutions.js';
import { InvertedResidual } from './layers/invertedResidual.js';
import { Network, onCells } from './network.js';
import { sharedFields } from './optionFields.js';
import { publishedWeights } from './published/published.generated.js';
import { type Renaming, renaming } from './renaming.js';

const fields = { dropout: sharedFields.dropout };

type Options = OptionsOf<typeof fields>;

type MobileNetName = 'mobilenetv3-l';

export const mobilenet: NetworkFamily<MobileNetName, typeof fields> = {
  'mobilenetv3-l': member('mobilenetv3-l', {
    parameters: 4_202_032,
    multiplyAdds: 215_309_760,
    features: 1280,
  }),
};

/** Kernel, expanded channels, outputs, squeeze-excite, activation and stride of each block. */
const blocks = [
  [3, 16, 16, false, 'relu', 1],
  [3, 64, 24, false, 'relu', 2],
  [3, 72, 24, false, 'relu', 1],
  [5, 72, 40, true, 'relu', 2],
  [5, 120, 40, true, 'relu', 1],
  [5, 120, 40, true, 'relu', 1],
  [3, 240, 80, false, 'hardswish', 2],
  [3, 200, 80, false, 'hardswish', 1],
  [3, 184, 80, false, 'hardswish', 1],
  [3, 184, 80, false, 'hardswish', 1],
  [3, 480, 112, true, 'hardswish', 1],
  [3, 672, 112, true, 'hardswish', 1],
  [5, 672, 160, true, 'hardswish', 2],
  [5, 960, 160, true, 'hardswish', 1],
  [5, 960, 160, true, 'hardswish', 1],
] as const;
/** How many of the blocks are in each of timm's stages. */
const timmStages = [1, 2, 3, 4, 2, 3];
const stemChannels = 16;
const lastChannels = 960;
const hiddenWidth = 1280;
const eps = 1e-3;
const norm = { eps, momentum: 0.01 };

class MobileNetV3 extends Network {
  readonly features: nn.Sequential;
  readonly classifier: nn.Sequential;
  readonly headPrefix = 'classifier.3.';
  readonly #hidden: nn.Linear;
  readonly #head: nn.Layer;
  readonly #dropout: nn.Dropout;

  constructor(name: MobileNetName, options: Options) {
    super(name, options);
    const { classes, channels, head, dropout } = options;
    const hardswish = { ...norm, activation: 'hardswish' } as const;
    this.features = new nn.Sequential(
      new ConvNorm(channels, stemChannels, { kernel: 3, stride: 2, padding: 1, norm: hardswish }),
      ...blocks.map(([kernel, expanded, outputs, isSqueezed, activation, stride], i) => {
        const hidden = multipleOf8(expanded / 4);
        const squeeze = isSqueezed
          ? ({ hidden, activation: 'relu', gate: 'hardsigmoid' } as const)
          : undefined;
        const shape = { kernel, expanded, outputs, stride, squeeze };
        return new InvertedResidual(blocks[i - 1]?.[2] ?? stemChannels, {
          ...shape,
          norm: { ...norm, activation },
        });
      }),
      new ConvNorm(blocks.at(-1)![2], lastChannels, { kernel: 1, norm: hardswish }),
    );
    this.#hidden = new nn.Linear(lastChannels, hiddenWidth);
    const initialize = (weight: Tensor) => nn.init.normal_(weight, 0, 0.01);
    this.#head = classHead(hiddenWidth, { classes, head, initialize });
    this.#dropout = new nn.Dropout(dropout);
    this.classifier = new nn.Sequential({ 0: this.#hidden, 2: this.#dropout, 3: this.#head });
    initialize(this.#hidden.weight);
    nn.init.constant_(this.#hidden.bias!, 0);
    initializeConvolutions(this.features);
  }

  /** Returns the last maps, 1/32 of the image's width: [batch, 960, 7, 7] at 224 px. */
  forwardFeatures(images: Tensor): Tensor {
    return this.features.forward(images);
  }

  /** Returns the classifier's hidden layer. */
  pooled(features: Tensor): Tensor {
    return tidy(() => this.#activated(globalAverage(features)));
  }

  protected override headMaps(features: Tensor): Tensor {
    return onCells(features, (cells) => this.#activated(cells));
  }

  #activated(vectors: Tensor): Tensor {
    return nn.functional.hardswish(this.#hidden.forward(vectors));
  }

  protected override headInput(features: Tensor): Tensor {
    return this.#dropout.forward(super.headInput(features));
  }

  protected classLayer(): nn.Layer {
    return this.#head;
  }
}

/** Rounds channels to a multiple of 8, and up if it would lose more than a tenth. */
function multipleOf8(channels: number): number {
  const rounded = Math.max(8, Math.floor((channels + 4) / 8) * 8);
  return rounded < 0.9 * channels ? rounded + 8 : rounded;
}

function member(name: MobileNetName, trunk: TrunkCost): NetworkDefinition<typeof fields> {
  return {
    paper: '1905.02244',
    trunk,
    stride: () => 32,
    sizes: () => ({ multipleOf: 1, least: 32 }),
    headBias: true,
    options: fields,
    defaults: { dropout: 0.2 },
    build: (options) => new MobileNetV3(name, options),
    stages: Array.from({ length: 17 }, (_, i) => `features.${i}.`),
    weights: {
      published: publishedWeights[name],
      stem: 'features.0.0.weight',
      torchvision: { architecture: () => ({ name: 'mobilenet_v3_large', arguments: {} }) },
      // timm adds 1e-5 to the variances, torchvision and we 1e-3; moving the difference into the variance gives the same scales.
      conventions: [
        {
          ...renaming("timm's MobileNetV3 names", () => fromTimm),
          offset: (entry) => (entry.endsWith('.running_var') ? 1e-5 - eps : 0),
        },
      ],
    },
  };
}

const fromTimm: Renaming = [
  [/^conv_stem\./, 'features.0.0.'],
  [/^bn1\./, 'features.0.1.'],
  [/^blocks\.0\.0\.(conv_dw|bn1|conv_pw|bn2)\./, (_, part = '') => `features.1.block.${firstParts[part]}.`],
  [
    /^blocks\.([1-5])\.(\d)\.(conv_pw|bn1|conv_dw|bn2|se\.conv_reduce|se\.conv_expand|conv_pwl|bn3)\./,
    (_, stage = '', block = '', part = '') => {
      const number =
        1 + Number(block) + timmStages.slice(0, Number(stage)).reduce((sum, count) => sum + count, 0);
      return `features.${number}.block.${partOf(part, blocks[number - 1]?.[3] ?? false)}.`;
    },
  ],
  [/^blocks\.6\.0\.conv\./, 'features.16.0.'],
  [/^blocks\.6\.0\.bn1\./, 'features.16.1.'],
  [/^conv_head\./, 'classifier.0.'],
  [/^classifier\./, 'classifier.3.'],
];

// The first block has no expansion.
const firstParts: Readonly<Record<string, string>> = {
  conv_dw: '0.0',
  bn1: '0.1',
  conv_pw: '1.0',
  bn2: '1.1',
};

function partOf(part: string, isSqueezed: boolean): string {
  const last = isSqueezed ? 3 : 2;
  const parts: Readonly<Record<string, string>> = {
    conv_pw: '0.0',
    bn1: '0.1',
    conv_dw: '1.0',
    bn2: '1.1',
    'se.conv_reduce': '2.fc1',
    'se.conv_expand': '2.fc2',
    conv_pwl: `${last}.0`,
    bn3: `${last}.1`,
  };
  return parts[part] ?? part;
}
