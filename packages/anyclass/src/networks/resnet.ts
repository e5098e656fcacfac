// ResNet-18. He et al., "Deep Residual Learning for Image Recognition", arXiv 1512.03385.
//
// Names and initialization as in torchvision's resnet18; the stride is in the first 3x3 convolution of a block.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import type { NetworkFamily } from './definition.js';
import { classHead } from './layers/classHead.js';
import { ConvNorm } from './layers/convNorm.js';
import { globalAverage } from './layers/globalAverage.js';
import { Network, type SharedOptions } from './network.js';
import { resnet18Weights } from './published/published.generated.js';

export const resnet: NetworkFamily<'resnet-18'> = {
  'resnet-18': {
    paper: '1512.03385',
    trunk: { parameters: 11_176_512, multiplyAdds: 1_813_561_344, features: 512 },
    stride: () => 32,
    headBias: true,
    options: {},
    defaults: {},
    build: (options) => new ResNet('resnet-18', options),
    weights: {
      published: resnet18Weights,
      timm: { architecture, ends: { first_conv: 'conv1', classifier: 'fc' } },
      torchvision: { architecture },
    },
  },
};

function architecture() {
  return { name: 'resnet18', arguments: {} };
}

const widths = [64, 128, 256, 512] as const;
const blocksPerStage = 2;

class ResNet extends Network {
  readonly headPrefix = 'fc.';
  readonly #stem: ConvNorm;
  readonly #pool = new nn.MaxPool2d({ kernel: 3, stride: 2, padding: 1 });
  readonly #stages: readonly nn.Sequential[];
  readonly #fc: nn.Layer;

  constructor(name: 'resnet-18', options: SharedOptions) {
    super(name, options);
    this.#stem = new ConvNorm(3, 64, { kernel: 7, stride: 2, padding: 3, norm: { activation: 'relu' } });
    this.#stages = widths.map((width, i) => {
      const first = i === 0 ? new BasicBlock(width, width, 1) : new BasicBlock(width / 2, width, 2);
      const others = Array.from({ length: blocksPerStage - 1 }, () => new BasicBlock(width, width, 1));
      return new nn.Sequential(first, ...others);
    });
    const { classes, expertHeads } = options;
    this.#fc = classHead(512, { classes, expertHeads });
    for (const [, module] of this.namedModules()) {
      if (module instanceof nn.Conv2d)
        nn.init.kaimingNormal_(module.weight, { mode: 'fanOut', nonlinearity: 'relu' });
    }
  }

  protected override *members(): Iterable<[string, unknown]> {
    yield* this.#stem.parts('conv1', 'bn1');
    for (const [i, stage] of this.#stages.entries()) yield [`layer${i + 1}`, stage];
    yield ['fc', this.#fc];
  }

  /** Returns the last stage's maps, 1/32 of the image's width: [batch, 512, 7, 7] at 224 px. */
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

  forwardHead(features: Tensor): Tensor {
    return this.#fc.forward(this.pooled(features));
  }

  fold(): void {
    this.#stem.fold();
  }
}

class BasicBlock extends nn.Module {
  readonly #first: ConvNorm;
  readonly #second: ConvNorm;
  readonly #downsample: ConvNorm | null;

  constructor(inputs: number, outputs: number, stride: 1 | 2) {
    super();
    const kernel = { kernel: 3, padding: 1 } as const;
    this.#first = new ConvNorm(inputs, outputs, { ...kernel, stride, norm: { activation: 'relu' } });
    this.#second = new ConvNorm(outputs, outputs, kernel);
    this.#downsample = stride === 1 ? null : new ConvNorm(inputs, outputs, { kernel: 1, stride });
  }

  protected override *members(): Iterable<[string, unknown]> {
    yield* this.#first.parts('conv1', 'bn1');
    yield* this.#second.parts('conv2', 'bn2');
    yield ['downsample', this.#downsample];
  }

  forward(input: Tensor): Tensor {
    const residual = this.#downsample ? this.#downsample.forward(input) : input;
    return this.#second.forward(this.#first.forward(input)).add_(residual).relu_();
  }

  fold(): void {
    this.#first.fold();
    this.#second.fold();
  }
}
