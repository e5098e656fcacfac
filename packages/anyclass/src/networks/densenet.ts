// DenseNet. Huang et al., "Densely Connected Convolutional Networks", arXiv 1608.06993.
//
// Names and initialization as in torchvision's densenet121, which timm shares. Networks for chest X-rays are often of this kind,
// with one input channel.

import { cat, nn, type Tensor, tidy } from '@anyclass/torch';
import type { NetworkDefinition, NetworkFamily, NoFields, TrunkCost } from './definition.js';
import { ActivatedBatchNorm } from './layers/activatedBatchNorm.js';
import { classHead } from './layers/classHead.js';
import { ConvNorm } from './layers/convNorm.js';
import { globalAverage } from './layers/globalAverage.js';
import { isWatched } from './layers/isWatched.js';
import { StemConv } from './layers/stemConv.js';
import { Network, type SharedOptions } from './network.js';
import { publishedWeights } from './published/published.generated.js';
import { type Renaming, renaming } from './renaming.js';

type DenseNetName = 'densenet-121';

export const densenet: NetworkFamily<DenseNetName> = {
  'densenet-121': member('densenet-121', {
    parameters: 6_953_856,
    multiplyAdds: 2_833_137_664,
    features: 1024,
  }),
};

const layersPerBlock = [6, 12, 24, 16];
/** Channels that each layer adds. */
const growth = 32;
const bottleneck = 4 * growth;
const stemChannels = 64;
const relu = { activation: 'relu' } as const;

class DenseNet extends Network {
  readonly features: Trunk;
  readonly classifier: nn.Layer;
  readonly headPrefix = 'classifier.';

  constructor(name: DenseNetName, options: SharedOptions) {
    super(name, options);
    const { classes, channels, head } = options;
    this.features = new Trunk(channels);
    this.classifier = classHead(this.features.outputs, { classes, head });
    for (const [, module] of this.namedModules()) {
      if (module instanceof nn.Conv2d) nn.init.kaimingNormal_(module.weight);
    }
    if (this.classifier instanceof nn.Linear) nn.init.constant_(this.classifier.bias!, 0);
  }

  /** Returns the last block's maps, 1/32 of the image's width: [batch, 1024, 7, 7] at 224 px. */
  forwardFeatures(images: Tensor): Tensor {
    return this.features.forward(images);
  }

  pooled(features: Tensor): Tensor {
    return globalAverage(features);
  }

  protected classLayer(): nn.Layer {
    return this.classifier;
  }
}

class Trunk extends nn.Module {
  readonly outputs: number;
  readonly #stem: ConvNorm;
  readonly #pool = new nn.MaxPool2d({ kernel: 3, stride: 2, padding: 1 });
  readonly #blocks: readonly DenseBlock[];
  readonly #transitions: readonly Transition[];
  readonly #norm: ActivatedBatchNorm;

  constructor(channels: number) {
    super();
    this.#stem = new ConvNorm(channels, stemChannels, {
      kernel: 7,
      stride: 2,
      padding: 3,
      norm: relu,
      convolution: StemConv,
    });
    let width = stemChannels;
    const transitions: Transition[] = [];
    this.#blocks = layersPerBlock.map((layers, i) => {
      const block = new DenseBlock(width, layers);
      width += layers * growth;
      if (i < layersPerBlock.length - 1) {
        transitions.push(new Transition(width));
        width /= 2;
      }
      return block;
    });
    this.#transitions = transitions;
    this.#norm = new ActivatedBatchNorm(width, relu);
    this.outputs = width;
  }

  protected override *members(): Iterable<[string, unknown]> {
    yield* this.#stem.parts('conv0', 'norm0');
    for (const [i, block] of this.#blocks.entries()) {
      yield [`denseblock${i + 1}`, block];
      yield [`transition${i + 1}`, this.#transitions[i]];
    }
    yield ['norm5', this.#norm];
  }

  forward(images: Tensor): Tensor {
    return tidy(() => {
      let x = this.#pool.forward(this.#stem.forward(images));
      for (const [i, block] of this.#blocks.entries()) {
        x = block.forward(x);
        x = this.#transitions[i]?.forward(x) ?? x;
      }
      return this.#norm.overwriteMaps(x);
    });
  }

  fold(): void {
    this.#stem.fold();
    this.#norm.freeze();
  }
}

/** Each layer sees the maps of all layers before it. */
class DenseBlock extends nn.Module {
  readonly #layers: readonly DenseLayer[];

  constructor(inputs: number, layers: number) {
    super();
    this.#layers = Array.from({ length: layers }, (_, i) => new DenseLayer(inputs + i * growth));
  }

  protected override *members(): Iterable<[string, unknown]> {
    for (const [i, layer] of this.#layers.entries()) yield [`denselayer${i + 1}`, layer];
  }

  forward(input: Tensor): Tensor {
    if (this.#layers.every((layer) => layer.canOverwrite(input))) return this.#overwriting(input);
    return tidy(() => {
      let maps = input;
      for (const layer of this.#layers) {
        const next = tidy(() => cat([maps, layer.forward(maps)], 1));
        if (maps !== input) maps.dispose();
        maps = next;
      }
      return maps;
    });
  }

  /** Joins all maps anew for each layer, whose norm then overwrites them instead of writing others. */
  #overwriting(input: Tensor): Tensor {
    return tidy(() => {
      const all = [input];
      for (const layer of this.#layers) all.push(tidy(() => layer.overwriting(cat(all, 1))));
      return cat(all, 1);
    });
  }
}

class DenseLayer extends nn.Module {
  readonly #norm: ActivatedBatchNorm;
  readonly #squeeze: ConvNorm;
  readonly #grow: nn.Conv2d;

  constructor(inputs: number) {
    super();
    this.#norm = new ActivatedBatchNorm(inputs, relu);
    this.#squeeze = new ConvNorm(inputs, bottleneck, { kernel: 1, norm: relu });
    this.#grow = new nn.Conv2d(bottleneck, growth, { kernel: 3, padding: 1, bias: false });
  }

  protected override *members(): Iterable<[string, unknown]> {
    yield ['norm1', this.#norm];
    yield* this.#squeeze.parts('conv1', 'norm2');
    yield ['conv2', this.#grow];
  }

  forward(maps: Tensor): Tensor {
    return tidy(() => this.#grow.forward(this.#squeeze.forward(this.#norm.forward(maps))));
  }

  /** Whether `overwriting` does what `forward` does, in fewer passes. */
  canOverwrite(maps: Tensor): boolean {
    return !isWatched(this) && this.#norm.canOverwrite(maps);
  }

  overwriting(maps: Tensor): Tensor {
    return tidy(() => this.#grow.forward(this.#squeeze.forward(this.#norm.overwriteMaps(maps))));
  }

  /** The norm before a ReLU stays: only the one after a convolution can be part of it. */
  fold(): void {
    this.#squeeze.fold();
    this.#norm.freeze();
  }
}

class Transition extends nn.Module {
  readonly norm: ActivatedBatchNorm;
  readonly conv: nn.Conv2d;
  readonly pool = new nn.AvgPool2d({ kernel: 2 });

  constructor(inputs: number) {
    super();
    this.norm = new ActivatedBatchNorm(inputs, relu);
    this.conv = new nn.Conv2d(inputs, inputs / 2, { kernel: 1, bias: false });
  }

  /** Overwrites its input. */
  forward(maps: Tensor): Tensor {
    return tidy(() => this.pool.forward(this.conv.forward(this.norm.overwriteMaps(maps))));
  }

  fold(): void {
    this.norm.freeze();
  }
}

function member(name: DenseNetName, trunk: TrunkCost): NetworkDefinition<NoFields> {
  const architecture = () => ({ name: 'densenet121', arguments: {} });
  return {
    paper: '1608.06993',
    trunk,
    stride: () => 32,
    sizes: () => ({ multipleOf: 1, least: 32 }),
    headBias: true,
    options: {},
    defaults: {},
    build: (options) => new DenseNet(name, options),
    stages: [
      'features.conv0. features.norm0.',
      'features.denseblock1. features.transition1.',
      'features.denseblock2. features.transition2.',
      'features.denseblock3. features.transition3.',
      'features.denseblock4.',
    ],
    weights: {
      published: publishedWeights[name],
      stem: 'features.conv0.weight',
      timm: { architecture, ends: { first_conv: 'features.conv0', classifier: 'classifier' } },
      torchvision: { architecture },
      conventions: [renaming("torchvision's DenseNet names of 2017", () => fromOldTorchvision)],
    },
  };
}

// The files that torchvision publishes have a dot in the layers' names, which Python no longer allows.
const fromOldTorchvision: Renaming = [
  [/(denselayer\d+\.(?:norm|conv))\.([12])\./, '$1$2.'],
  [/^(?!.*denselayer)/, ''],
];
