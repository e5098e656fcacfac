// EfficientNetV2. Tan & Le, "EfficientNetV2: Smaller Models and Faster Training", arXiv 2104.00298.
//
// Names and initialization as in torchvision's efficientnet_v2_s. timm's tf_efficientnetv2_s pads as TensorFlow does, where its weights
// were trained; `padding: 'tensorflow'` does, too.

import { nn, type Tensor } from '@anyclass/torch';
import { z } from 'zod';
import { UserError } from '../errors/userError.js';
import type { NetworkDefinition, NetworkFamily, OptionsOf, TrunkCost } from './definition.js';
import { classHead } from './layers/classHead.js';
import { ConvNorm } from './layers/convNorm.js';
import { globalAverage } from './layers/globalAverage.js';
import { initializeConvolutions } from './layers/initializeConvolutions.js';
import { InvertedResidual } from './layers/invertedResidual.js';
import { TensorflowConv } from './layers/tensorflowConv.js';
import { Network } from './network.js';
import { sharedFields } from './optionFields.js';
import { publishedWeights } from './published/published.generated.js';
import { type Renaming, renaming } from './renaming.js';

const fields = {
  stochasticDepth: sharedFields.stochasticDepth,
  dropout: sharedFields.dropout,
  padding: z
    .enum(['symmetric', 'tensorflow'], "expected 'symmetric' or 'tensorflow'")
    .describe("EfficientNet: how strided convolutions pad; 'tensorflow' for timm's tf_ weights"),
};

type Options = OptionsOf<typeof fields>;

type EfficientNetName = 'efficientnetv2-s';

export const efficientnet: NetworkFamily<EfficientNetName, typeof fields> = {
  'efficientnetv2-s': member('efficientnetv2-s', {
    parameters: 20_177_488,
    multiplyAdds: 2_848_615_872,
    features: 1280,
  }),
};

/** The stages: whether their blocks are fused, the factor of the expansion, the first block's stride, channels, and blocks. */
const stages = [
  { fused: true, expansion: 1, stride: 1, channels: 24, blocks: 2 },
  { fused: true, expansion: 4, stride: 2, channels: 48, blocks: 4 },
  { fused: true, expansion: 4, stride: 2, channels: 64, blocks: 4 },
  { fused: false, expansion: 4, stride: 2, channels: 128, blocks: 6 },
  { fused: false, expansion: 6, stride: 1, channels: 160, blocks: 9 },
  { fused: false, expansion: 6, stride: 2, channels: 256, blocks: 15 },
] as const;
const stemChannels = 24;
const lastChannels = 1280;
const norm = { eps: 1e-3, activation: 'silu' } as const;

class EfficientNetV2 extends Network {
  readonly features: nn.Sequential;
  readonly classifier: nn.Sequential;
  readonly headPrefix = 'classifier.1.';
  readonly #dropout: nn.Dropout;
  readonly #head: nn.Layer;

  constructor(name: EfficientNetName, options: Options) {
    super(name, options);
    const { classes, channels, head, dropout, stochasticDepth, padding } = options;
    const convolution = padding === 'tensorflow' ? TensorflowConv : nn.Conv2d;
    const count = stages.reduce((sum, { blocks }) => sum + blocks, 0);
    let block = 0;
    let inputs = stemChannels;
    this.features = new nn.Sequential(
      new ConvNorm(channels, stemChannels, { kernel: 3, stride: 2, padding: 1, norm, convolution }),
      ...stages.map(({ fused, expansion, stride, channels: outputs, blocks }) => {
        const layers = Array.from({ length: blocks }, (_, i) => {
          const layer = new InvertedResidual(inputs, {
            kernel: 3,
            stride: i === 0 ? stride : 1,
            expanded: inputs * expansion,
            outputs,
            fused,
            squeeze: fused ? undefined : { hidden: Math.floor(inputs / 4), activation: 'silu' },
            norm,
            convolution,
            stochasticDepth: (stochasticDepth * block++) / count,
          });
          inputs = outputs;
          return layer;
        });
        return new nn.Sequential(...layers);
      }),
      new ConvNorm(inputs, lastChannels, { kernel: 1, norm }),
    );
    const bound = 1 / Math.sqrt(classes);
    const initialize = (weight: Tensor) => nn.init.uniform_(weight, -bound, bound);
    this.#dropout = new nn.Dropout(dropout);
    this.#head = classHead(lastChannels, { classes, head, initialize });
    this.classifier = new nn.Sequential(this.#dropout, this.#head);
    initializeConvolutions(this.features);
  }

  /** Returns the last maps, 1/32 of the image's width: [batch, 1280, 7, 7] at 224 px. */
  forwardFeatures(images: Tensor): Tensor {
    return this.features.forward(images);
  }

  pooled(features: Tensor): Tensor {
    return globalAverage(features);
  }

  protected override headInput(features: Tensor): Tensor {
    return this.#dropout.forward(super.headInput(features));
  }

  protected classLayer(): nn.Layer {
    return this.#head;
  }
}

function member(name: EfficientNetName, trunk: TrunkCost): NetworkDefinition<typeof fields> {
  return {
    paper: '2104.00298',
    trunk,
    stride: () => 32,
    sizes: () => ({ multipleOf: 1, least: 32 }),
    headBias: true,
    options: fields,
    defaults: { stochasticDepth: 0.2, dropout: 0.2, padding: 'symmetric' },
    build: (options) => new EfficientNetV2(name, options),
    stages: Array.from({ length: 8 }, (_, i) => `features.${i}.`),
    weights: {
      published: publishedWeights[name],
      stem: 'features.0.0.weight',
      torchvision: { architecture: torchvisionArchitecture },
      conventions: [
        {
          ...renaming("timm's EfficientNetV2 names", () => fromTimm),
          needs: { padding: 'tensorflow' },
        },
      ],
      optionsOf: (shapes) =>
        [...shapes.keys()].some((entry) => /(?:^|\.)conv_stem\.weight$/.test(entry))
          ? { padding: 'tensorflow' }
          : {},
    },
  };
}

function torchvisionArchitecture({ padding }: Options) {
  if (padding === 'symmetric') return { name: 'efficientnet_v2_s', arguments: {} };
  throw new UserError(
    "torchvision's efficientnet_v2_s pads symmetrically; this network pads as TensorFlow does",
  );
}

const fromTimm: Renaming = [
  [/^conv_stem\./, 'features.0.0.'],
  [/^bn1\./, 'features.0.1.'],
  [
    /^blocks\.(\d)\.(\d+)\.(conv_exp|conv_pwl|conv_pw|conv_dw|conv|bn[123]|se\.conv_reduce|se\.conv_expand)\./,
    (_, stage = '', block = '', part = '') =>
      `features.${Number(stage) + 1}.${block}.block.${partsOf(Number(stage))[part]}.`,
  ],
  [/^conv_head\./, 'features.7.0.'],
  [/^bn2\./, 'features.7.1.'],
  [/^classifier\./, 'classifier.1.'],
];

function partsOf(stage: number): Readonly<Record<string, string>> {
  if (stages[stage]?.fused) return { conv: '0.0', conv_exp: '0.0', bn1: '0.1', conv_pwl: '1.0', bn2: '1.1' };
  const squeeze = { 'se.conv_reduce': '2.fc1', 'se.conv_expand': '2.fc2' };
  return { conv_pw: '0.0', bn1: '0.1', conv_dw: '1.0', bn2: '1.1', ...squeeze, conv_pwl: '3.0', bn3: '3.1' };
}
