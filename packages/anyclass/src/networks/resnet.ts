// ResNet. He et al., "Deep Residual Learning for Image Recognition", arXiv 1512.03385.
//
// Names and initialization as in torchvision. The 'v1.5' form: a bottleneck's stride is in its 3x3 convolution, not in the
// first 1x1. torchvision's V2 weights and timm's are for the same networks.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import type { NetworkDefinition, NetworkFamily, NoFields, TrunkCost } from './definition.js';
import { classHead } from './layers/classHead.js';
import { ConvNorm } from './layers/convNorm.js';
import { globalAverage } from './layers/globalAverage.js';
import { initializeConvolutions } from './layers/initializeConvolutions.js';
import { StemConv } from './layers/stemConv.js';
import { Network, type SharedOptions } from './network.js';
import { publishedWeights } from './published/published.generated.js';
import { type Renaming, renaming } from './renaming.js';

type ResNetName = 'resnet-18' | 'resnet-34' | 'resnet-50' | 'resnet-101';

export const resnet: NetworkFamily<ResNetName> = {
  'resnet-18': member('resnet-18', { parameters: 11_176_512, multiplyAdds: 1_813_561_344, features: 512 }),
  'resnet-34': member('resnet-34', { parameters: 21_284_672, multiplyAdds: 3_663_249_408, features: 512 }),
  'resnet-50': member('resnet-50', { parameters: 23_508_032, multiplyAdds: 4_087_136_256, features: 2048 }),
  'resnet-101': member('resnet-101', { parameters: 42_500_160, multiplyAdds: 7_799_357_440, features: 2048 }),
};

interface Shape {
  /** Blocks in each of the four stages. */
  readonly blocks: readonly [number, number, number, number];
  readonly block: typeof BasicBlock | typeof Bottleneck;
}

function shapeOf(name: ResNetName): Shape {
  switch (name) {
    case 'resnet-18':
      return { blocks: [2, 2, 2, 2], block: BasicBlock };
    case 'resnet-34':
      return { blocks: [3, 4, 6, 3], block: BasicBlock };
    case 'resnet-50':
      return { blocks: [3, 4, 6, 3], block: Bottleneck };
    case 'resnet-101':
      return { blocks: [3, 4, 23, 3], block: Bottleneck };
  }
}

class ResNet extends Network {
  readonly headPrefix = 'fc.';
  readonly #stem: ConvNorm;
  readonly #pool = new nn.MaxPool2d({ kernel: 3, stride: 2, padding: 1 });
  readonly #stages: readonly nn.Sequential[];
  readonly #fc: nn.Layer;

  constructor(name: ResNetName, options: SharedOptions) {
    super(name, options);
    const { classes, channels, head } = options;
    const { blocks, block: Block } = shapeOf(name);
    this.#stem = new ConvNorm(channels, 64, {
      kernel: 7,
      stride: 2,
      padding: 3,
      norm: { activation: 'relu' },
      convolution: StemConv,
    });
    let inputs = 64;
    this.#stages = blocks.map((count, stage) => {
      const planes = 64 * 2 ** stage;
      const layers = Array.from({ length: count }, (_, i) => {
        const layer = new Block(inputs, planes, i === 0 && stage > 0 ? 2 : 1);
        inputs = planes * Block.expansion;
        return layer;
      });
      return new nn.Sequential(...layers);
    });
    this.#fc = classHead(inputs, { classes, head });
    initializeConvolutions(this);
  }

  protected override *members(): Iterable<[string, unknown]> {
    yield* this.#stem.parts('conv1', 'bn1');
    for (const [i, stage] of this.#stages.entries()) yield [`layer${i + 1}`, stage];
    yield ['fc', this.#fc];
  }

  /** Returns the last stage's maps, 1/32 of the image's width: [batch, 512, 7, 7] for resnet-18 at 224 px. */
  forwardFeatures(images: Tensor): Tensor {
    return tidy(() => {
      let x = this.#pool.forward(this.#stem.forward(images));
      for (const stage of this.#stages) x = stage.forward(x);
      return x;
    });
  }

  pooled(features: Tensor): Tensor {
    return globalAverage(features);
  }

  protected classLayer(): nn.Layer {
    return this.#fc;
  }

  fold(): void {
    this.#stem.fold();
  }
}

/** A block's convolutions, one after another, each with its norm; the last has no activation before the addition. */
abstract class Block extends nn.Module {
  readonly #convolutions: readonly ConvNorm[];
  readonly #downsample: ConvNorm | null;

  constructor(convolutions: readonly ConvNorm[], downsample: ConvNorm | null) {
    super();
    this.#convolutions = convolutions;
    this.#downsample = downsample;
  }

  protected override *members(): Iterable<[string, unknown]> {
    for (const [i, convolution] of this.#convolutions.entries())
      yield* convolution.parts(`conv${i + 1}`, `bn${i + 1}`);
    yield ['downsample', this.#downsample];
  }

  forward(input: Tensor): Tensor {
    return tidy(() => {
      let x = input;
      for (const convolution of this.#convolutions.slice(0, -1)) x = convolution.forward(x);
      const last = this.#convolutions.at(-1)!;
      return this.#downsample
        ? last.forwardWithShortcut(x, this.#downsample, input)
        : last.forwardWithResidual(x, input);
    });
  }

  fold(): void {
    for (const convolution of this.#convolutions) convolution.fold();
  }
}

const relu = { norm: { activation: 'relu' } } as const;

class BasicBlock extends Block {
  static readonly expansion = 1;

  constructor(inputs: number, planes: number, stride: 1 | 2) {
    const kernel = { kernel: 3, padding: 1 } as const;
    super(
      [new ConvNorm(inputs, planes, { ...kernel, ...relu, stride }), new ConvNorm(planes, planes, kernel)],
      shortcut(inputs, planes, stride),
    );
  }
}

class Bottleneck extends Block {
  static readonly expansion = 4;

  constructor(inputs: number, planes: number, stride: 1 | 2) {
    const outputs = planes * Bottleneck.expansion;
    super(
      [
        new ConvNorm(inputs, planes, { kernel: 1, ...relu }),
        new ConvNorm(planes, planes, { kernel: 3, padding: 1, stride, ...relu }),
        new ConvNorm(planes, outputs, { kernel: 1 }),
      ],
      shortcut(inputs, outputs, stride),
    );
  }
}

function shortcut(inputs: number, outputs: number, stride: 1 | 2): ConvNorm | null {
  return inputs === outputs && stride === 1 ? null : new ConvNorm(inputs, outputs, { kernel: 1, stride });
}

function member(name: ResNetName, trunk: TrunkCost): NetworkDefinition<NoFields> {
  const architecture = () => ({ name: name.replace('-', ''), arguments: {} });
  return {
    paper: '1512.03385',
    trunk,
    stride: () => 32,
    sizes: () => ({ multipleOf: 1, least: 32 }),
    headBias: true,
    options: {},
    defaults: {},
    build: (options) => new ResNet(name, options),
    stages: ['conv1. bn1.', 'layer1.', 'layer2.', 'layer3.', 'layer4.'],
    weights: {
      published: publishedWeights[name],
      stem: 'conv1.weight',
      timm: { architecture, ends: { first_conv: 'conv1', classifier: 'fc' } },
      torchvision: { architecture },
      conventions: [renaming("Hugging Face's ResNet names", () => fromHuggingFace)],
    },
  };
}

const fromHuggingFace: Renaming = [
  [/^(?:resnet\.)?embedder\.embedder\.(convolution|normalization)\./, (_, part = '') => `${parts[part]}1.`],
  [
    /^(?:resnet\.)?encoder\.stages\.(\d)\.layers\.(\d+)\.shortcut\.(convolution|normalization)\./,
    (_, stage = '', block = '', part = '') =>
      `layer${Number(stage) + 1}.${block}.downsample.${part === 'convolution' ? 0 : 1}.`,
  ],
  [
    /^(?:resnet\.)?encoder\.stages\.(\d)\.layers\.(\d+)\.layer\.(\d)\.(convolution|normalization)\./,
    (_, stage = '', block = '', layer = '', part = '') =>
      `layer${Number(stage) + 1}.${block}.${parts[part]}${Number(layer) + 1}.`,
  ],
  [/^classifier\.1\./, 'fc.'],
];

const parts: Readonly<Record<string, string>> = { convolution: 'conv', normalization: 'bn' };
