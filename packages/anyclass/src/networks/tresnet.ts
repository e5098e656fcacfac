// TResNet. Ridnik et al., "TResNet: High Performance GPU-Dedicated Architecture", arXiv 2003.13630.
//
// As published: space-to-depth stem, basic blocks with squeeze-excite in the first two stages and bottlenecks in the last
// two, blur pools instead of strides, activated batch norm that scales by |weight| + eps.
// Our own addition: tresnet-s, for images of 64 to 128 px on small machines. It moves 2x2 pixels instead of 4x4 into the
// channels, since 4x4 would leave the last stage of a 64 px image two pixels wide. It has half the width and 10 blocks.

import { nn, type Tensor } from '@anyclass/torch';
import { UserError } from '../errors/userError.js';
import type { NetworkDefinition, NetworkFamily, NoFields, TrunkCost } from './definition.js';
import type { Activation } from './layers/activatedBatchNorm.js';
import { BlurPool } from './layers/blurPool.js';
import { classHead } from './layers/classHead.js';
import { ConvNorm } from './layers/convNorm.js';
import { globalAverage } from './layers/globalAverage.js';
import { HalvingPool } from './layers/halvingPool.js';
import { initializeConvolutions } from './layers/initializeConvolutions.js';
import { SpaceToDepth } from './layers/spaceToDepth.js';
import { SqueezeExcite } from './layers/squeezeExcite.js';
import { Network, type SharedOptions } from './network.js';
import { publishedWeights } from './published/published.generated.js';

type TResNetName = 'tresnet-s' | 'tresnet-m' | 'tresnet-l' | 'tresnet-xl';

export const tresnet: NetworkFamily<TResNetName> = {
  'tresnet-s': member('tresnet-s', { parameters: 3_990_016, multiplyAdds: 3_251_444_736, features: 1024 }),
  'tresnet-m': member('tresnet-m', { parameters: 29_340_032, multiplyAdds: 5_734_497_792, features: 2048 }),
  'tresnet-l': member('tresnet-l', { parameters: 53_556_256, multiplyAdds: 10_875_134_880, features: 2432 }),
  'tresnet-xl': member('tresnet-xl', {
    parameters: 75_779_244,
    multiplyAdds: 15_164_407_432,
    features: 2656,
  }),
};

interface Shape {
  /** Blocks in each of the four stages. */
  readonly blocks: readonly [number, number, number, number];
  readonly width: number;
  /** The side of the squares that the stem moves into the channels. */
  readonly square: number;
}

const shapes: Readonly<Record<TResNetName, Shape>> = {
  'tresnet-s': { blocks: [2, 2, 4, 2], width: 0.5, square: 2 },
  'tresnet-m': { blocks: [3, 4, 11, 3], width: 1, square: 4 },
  'tresnet-l': { blocks: [4, 5, 18, 3], width: 1.2, square: 4 },
  'tresnet-xl': { blocks: [4, 5, 24, 3], width: 1.3, square: 4 },
};

class TResNet extends Network {
  readonly body: nn.Sequential;
  readonly head: nn.Sequential;
  readonly headPrefix = 'head.';
  readonly #fc: nn.Layer;

  constructor(name: TResNetName, options: SharedOptions) {
    super(name, options);
    const { blocks, width, square } = shapes[name];
    checkInputSize(name, options.inputSize);
    const planes = Math.trunc(64 * width);
    this.body = new nn.Sequential({
      SpaceToDepth: new SpaceToDepth(square),
      conv1: convNorm(options.channels * square ** 2, planes, 3, { leakySlope: 1e-2 }),
      layer1: stage(BasicBlock, blocks[0], planes, { planes, stride: 1, squeezeExcite: true }),
      layer2: stage(BasicBlock, blocks[1], planes, { planes: planes * 2, stride: 2, squeezeExcite: true }),
      layer3: stage(Bottleneck, blocks[2], planes * 2, {
        planes: planes * 4,
        stride: 2,
        squeezeExcite: true,
      }),
      layer4: stage(Bottleneck, blocks[3], planes * 16, {
        planes: planes * 8,
        stride: 2,
        squeezeExcite: false,
      }),
    });
    const { classes, head } = options;
    const initialize = (weight: Tensor) => nn.init.normal_(weight, 0, 0.01);
    this.#fc = classHead(planes * 32, { classes, head, initialize });
    this.head = new nn.Sequential({ fc: this.#fc });
    initializeConvolutions(this.body);
    for (const [, module] of this.body.namedModules()) {
      if (module instanceof BasicBlock) nn.init.constant_(module.conv2.norm.weight, 0);
      if (module instanceof Bottleneck) nn.init.constant_(module.conv3.norm.weight, 0);
    }
  }

  /** Returns the last stage's maps, 1/32 of the image's width (tresnet-s: 1/16): [batch, 2048, 7, 7] for tresnet-m at 224 px. */
  forwardFeatures(images: Tensor): Tensor {
    return this.body.forward(images);
  }

  pooled(features: Tensor): Tensor {
    return globalAverage(features);
  }

  protected classLayer(): nn.Layer {
    return this.#fc;
  }
}

interface BlockOptions {
  readonly planes: number;
  readonly stride: 1 | 2;
  readonly squeezeExcite: boolean;
}

const leaky = { leakySlope: 1e-3 };

class BasicBlock extends nn.Module {
  static readonly expansion = 1;
  readonly conv1: nn.Layer;
  readonly conv2: ConvNorm;
  readonly downsample: nn.Sequential | null;
  readonly se: SqueezeExcite | null;

  constructor(inputs: number, { planes, stride, squeezeExcite }: BlockOptions) {
    super();
    this.conv1 = blurred(convNorm(inputs, planes, 3, leaky), planes, stride);
    this.conv2 = convNorm(planes, planes, 3, 'identity');
    this.downsample = shortcut(inputs, planes, stride);
    const hidden = Math.max(Math.trunc(planes / 4), 64);
    this.se = squeezeExcite ? new SqueezeExcite(planes, { hidden, activation: 'relu' }) : null;
  }

  forward(input: Tensor): Tensor {
    const residual = this.downsample ? this.downsample.forward(input) : input;
    const x = this.conv1.forward(input);
    return this.se
      ? this.conv2.forwardExcited(x, this.se, residual)
      : this.conv2.forwardWithResidual(x, residual);
  }
}

class Bottleneck extends nn.Module {
  static readonly expansion = 4;
  readonly conv1: ConvNorm;
  readonly conv2: nn.Layer;
  readonly conv3: ConvNorm;
  readonly downsample: nn.Sequential | null;
  readonly se: SqueezeExcite | null;

  constructor(inputs: number, { planes, stride, squeezeExcite }: BlockOptions) {
    super();
    const outputs = planes * Bottleneck.expansion;
    this.conv1 = convNorm(inputs, planes, 1, leaky);
    this.conv2 = blurred(convNorm(planes, planes, 3, leaky), planes, stride);
    this.conv3 = convNorm(planes, outputs, 1, 'identity');
    this.downsample = shortcut(inputs, outputs, stride);
    const hidden = Math.max(Math.trunc(outputs / 8), 64);
    this.se = squeezeExcite ? new SqueezeExcite(planes, { hidden, activation: 'relu' }) : null;
  }

  forward(input: Tensor): Tensor {
    const residual = this.downsample ? this.downsample.forward(input) : input;
    return this.conv3.forwardWithResidual(this.#middle(this.conv1.forward(input)), residual);
  }

  #middle(x: Tensor): Tensor {
    if (!this.se) return this.conv2.forward(x);
    if (this.conv2 instanceof ConvNorm) return this.conv2.forwardExcited(x, this.se, null);
    return this.se.forward(this.conv2.forward(x));
  }
}

function stage(
  Block: typeof BasicBlock | typeof Bottleneck,
  count: number,
  inputs: number,
  options: BlockOptions,
): nn.Sequential {
  const outputs = options.planes * Block.expansion;
  return new nn.Sequential(
    new Block(inputs, options),
    ...Array.from({ length: count - 1 }, () => new Block(outputs, { ...options, stride: 1 })),
  );
}

function convNorm(inputs: number, outputs: number, kernel: 1 | 3, activation: Activation): ConvNorm {
  const padding = kernel === 3 ? 1 : 0;
  return new ConvNorm(inputs, outputs, {
    kernel,
    padding,
    padded: true,
    norm: { activation, absoluteWeight: true },
  });
}

function blurred(conv: ConvNorm, channels: number, stride: 1 | 2): nn.Layer {
  return stride === 1 ? conv : new nn.Sequential(conv, new nn.Sequential({ op: new BlurPool(channels) }));
}

function shortcut(inputs: number, outputs: number, stride: 1 | 2): nn.Sequential | null {
  if (stride === 1) return null;
  return new nn.Sequential(new HalvingPool(2), convNorm(inputs, outputs, 1, 'identity'));
}

// The last blur pool gets a quarter of the stem's map, and reflecting it takes two pixels.
function sizesOf(name: TResNetName) {
  const { square } = shapes[name];
  return { multipleOf: square, least: 8 * square };
}

function checkInputSize(name: TResNetName, inputSize: number): void {
  const { multipleOf, least } = sizesOf(name);
  if (inputSize % multipleOf === 0 && inputSize >= least) return;
  throw new UserError(
    `${name}: inputSize is ${inputSize}; expected a multiple of ${multipleOf}, at least ${least}`,
  );
}

function member(name: TResNetName, trunk: TrunkCost): NetworkDefinition<NoFields> {
  // Only we have the small one.
  const timmName = name === 'tresnet-s' ? undefined : name.replace('-', '_');
  return {
    paper: '2003.13630',
    trunk,
    stride: () => (name === 'tresnet-s' ? 16 : 32),
    sizes: () => sizesOf(name),
    headBias: true,
    options: {},
    defaults: {},
    build: (options) => new TResNet(name, options),
    stages: ['body.conv1.', 'body.layer1.', 'body.layer2.', 'body.layer3.', 'body.layer4.'],
    weights: {
      published: publishedWeights[name],
      stem: 'body.conv1.0.weight',
      ...(timmName !== undefined && {
        timm: {
          architecture: () => ({ name: timmName, arguments: {} }),
          rename: toTimm,
          convert: toTimmScale,
          ends: { first_conv: 'body.conv1.conv', classifier: 'head.fc' },
        },
      }),
      conventions: [{ title: "timm's TResNet names", translate: fromTimm, offset: checkedOffset }],
      hasDefault: (entry) => entry.endsWith('.filt'),
    },
  };
}

// A blurred convolution is one level deeper in our names.
function fromTimm(name: string): string[] {
  return ['', '0.'].map((level) =>
    name.replace(/(conv\d|downsample\.\d)\.(conv|bn)\./, (_, layer: string, part: string) => {
      return `${layer}.${level}${part === 'conv' ? 0 : 1}.`;
    }),
  );
}

// timm stores |weight| + eps, the scale itself, as the norm's weight; subtracting eps gives a weight with that scale.
function timmOffset(name: string): number {
  return /\.1\.weight$/.test(name) ? -1e-5 : 0;
}

function checkedOffset(name: string, values: Tensor): number {
  const offset = timmOffset(name);
  if (offset !== 0 && values.amin().toNumber() < 0)
    throw new Error(`${name}: the file has negative channel scales, which |weight| + eps cannot represent`);
  return offset;
}

/** timm computes its blur filters and does not store them. */
function toTimm(name: string): string | undefined {
  if (name.endsWith('.filt')) return undefined;
  return name.replace(
    /(conv\d|downsample\.\d)(?:\.0)?\.([01])\.(?=\w+$)/,
    (_, layer: string, part: string) => {
      return `${layer}.${part === '0' ? 'conv' : 'bn'}.`;
    },
  );
}

function toTimmScale(name: string, values: Tensor): Tensor {
  const offset = timmOffset(name);
  return offset === 0 ? values : values.abs().sub(offset);
}
