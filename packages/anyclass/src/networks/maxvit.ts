// MaxViT. Tu et al., "MaxViT: Multi-Axis Vision Transformer", arXiv 2204.01697.
//
// Names and initialization as in torchvision's maxvit_t. The feature maps stay [batch, height, width, channels] in memory.
// Only attention needs the tokens of a window to be adjacent, so the MLPs after it run directly on the map, and rearranging
// windows back into the map is part of the residual addition.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import { UserError } from '../errors/userError.js';
import type { NetworkDefinition, NetworkFamily, OptionsOf, TrunkCost } from './definition.js';
import { classHead } from './layers/classHead.js';
import { ConvNorm } from './layers/convNorm.js';
import { globalAverage } from './layers/globalAverage.js';
import { LayerNorm } from './layers/layerNorm.js';
import { MBConv } from './layers/mbconv.js';
import { PartitionAttention } from './layers/partitionAttention.js';
import { addBranch, throughSteps } from './layers/residualNorm.js';
import { timmOffsets } from './layers/resizeGrid.js';
import type { Axis } from './layers/squares.js';
import { Network, onCells } from './network.js';
import { positiveInteger, sharedFields } from './optionFields.js';
import { publishedWeights } from './published/published.generated.js';

const fields = {
  partitionSize: positiveInteger.describe('MaxViT: side of a window in feature map cells'),
  stochasticDepth: sharedFields.stochasticDepth,
};

type Options = OptionsOf<typeof fields>;

type MaxViTName = 'maxvit-t' | 'maxvit-s';

export const maxvit: NetworkFamily<MaxViTName, typeof fields> = {
  'maxvit-t': member('maxvit-t', { parameters: 30_407_624, multiplyAdds: 5_557_534_720, features: 512 }),
  'maxvit-s': member('maxvit-s', { parameters: 68_158_892, multiplyAdds: 11_578_404_864, features: 768 }),
};

const channelsOf: Readonly<Record<MaxViTName, readonly number[]>> = {
  'maxvit-t': [64, 128, 256, 512],
  'maxvit-s': [96, 192, 384, 768],
};
const layersPerBlock = [2, 2, 5, 2];
const stemChannels = 64;
// The momentum that torchvision's weights were trained with; torchvision now has 0.01.
const batchNorm = { eps: 1e-3, momentum: 0.99, activation: 'gelu' } as const;

class MaxViT extends Network<Options> {
  readonly stem: nn.Sequential;
  readonly blocks: readonly Block[];
  readonly classifier: nn.Sequential;
  readonly headPrefix = 'classifier.5.';
  readonly #projection: nn.Sequential;
  readonly #head: nn.Layer;

  constructor(name: MaxViTName, options: Options) {
    super(name, options);
    const { classes, head, partitionSize, stochasticDepth } = options;
    checkPartition(name, options);
    this.stem = new nn.Sequential(
      new ConvNorm(options.channels, stemChannels, { kernel: 3, stride: 2, padding: 1, norm: batchNorm }),
      new nn.Sequential(new nn.Conv2d(stemChannels, stemChannels, { kernel: 3, padding: 1 })),
    );
    const layerCount = layersPerBlock.reduce((sum, layers) => sum + layers, 0);
    const channels = channelsOf[name];
    let layer = 0;
    this.blocks = channels.map((outputs, i) => {
      const inputs = channels[i - 1] ?? stemChannels;
      const skipped = Array.from(
        { length: layersPerBlock[i] ?? 0 },
        () => (stochasticDepth * layer++) / (layerCount - 1),
      );
      return new Block(inputs, outputs, partitionSize, skipped);
    });
    const width = channels.at(-1) ?? 0;
    this.#head = classHead(width, { classes, head, bias: false });
    const projection = { 2: new LayerNorm(width), 3: new nn.Linear(width, width), 4: new nn.Tanh() };
    this.#projection = new nn.Sequential(projection);
    this.classifier = new nn.Sequential({ ...projection, 5: this.#head });
    for (const [, module] of this.namedModules()) {
      if (module instanceof nn.Conv2d || module instanceof nn.Linear) {
        nn.init.normal_(module.weight, 0, 0.02);
        if (module.bias) nn.init.constant_(module.bias, 0);
      }
    }
  }

  /** Returns the last block's maps, 1/32 of the image's width: [batch, 512, 7, 7] for maxvit-t at 224 px. */
  forwardFeatures(images: Tensor): Tensor {
    return tidy(() => {
      let x = this.stem.forward(images);
      for (const block of this.blocks) x = block.forward(x);
      return x;
    });
  }

  /** Returns the maps' average, passed through the classifier up to its last layer. */
  pooled(features: Tensor): Tensor {
    return this.#projection.forward(globalAverage(features));
  }

  protected override headMaps(features: Tensor): Tensor {
    return onCells(features, (cells) => this.#projection.forward(cells));
  }

  protected classLayer(): nn.Layer {
    return this.#head;
  }
}

class Block extends nn.Module {
  readonly layers: readonly Layer[];

  /** Makes one layer per entry of `skipped`, the probability of being skipped. */
  constructor(inputs: number, outputs: number, partitionSize: number, skipped: readonly number[]) {
    super();
    this.layers = skipped.map((probability, i) => {
      const convolution = new MBConv(i === 0 ? inputs : outputs, outputs, {
        stride: i === 0 ? 2 : 1,
        norm: batchNorm,
        stochasticDepth: probability,
      });
      const attention = (axis: Axis) =>
        new PartitionAttention(outputs, { axis, partitionSize, stochasticDepth: probability });
      return new Layer(convolution, attention('window'), attention('grid'));
    });
  }

  forward(input: Tensor): Tensor {
    let x = input;
    for (const layer of this.layers) x = layer.forward(x);
    return x;
  }
}

class Layer extends nn.Module {
  readonly layers: nn.Sequential;
  readonly #convolution: MBConv;
  readonly #attentions: readonly PartitionAttention[];

  constructor(convolution: MBConv, windowAttention: PartitionAttention, gridAttention: PartitionAttention) {
    super();
    this.#convolution = convolution;
    this.#attentions = [windowAttention, gridAttention];
    this.layers = new nn.Sequential({
      MBconv: convolution,
      window_attention: windowAttention,
      grid_attention: gridAttention,
    });
  }

  // The attentions form one residual stream, in which the second's norm adds the output of the first's MLP.
  forward(x: Tensor): Tensor {
    return tidy(() => {
      const map = tidy(() => this.#convolution.forward(x)).permute([0, 2, 3, 1]);
      const { stream, branch } = throughSteps(this.#attentions, map.contiguous());
      return (branch ? addBranch(stream, branch) : stream).permute([0, 3, 1, 2]);
    });
  }
}

function checkPartition(name: MaxViTName, { inputSize, partitionSize }: Options): void {
  const maps = mapSizes(inputSize);
  if (maps.every((size) => size % partitionSize === 0)) return;
  const divisor = maps.reduce(greatestCommonDivisor);
  throw new UserError(
    `${name}: at inputSize ${inputSize} the feature maps are ${maps.join(', ')} px wide, and partitionSize ` +
      `${partitionSize} does not divide them all; use partitionSize ${divisor} or inputSize ${32 * partitionSize}`,
  );
}

/** Returns the sizes of the feature maps: the stem halves the image, and each block halves it again, rounded up. */
function mapSizes(inputSize: number): number[] {
  let size = Math.ceil(inputSize / 2);
  return layersPerBlock.map(() => {
    size = Math.ceil(size / 2);
    return size;
  });
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function member(name: MaxViTName, trunk: TrunkCost): NetworkDefinition<typeof fields> {
  return {
    paper: '2204.01697',
    trunk,
    stride: () => 32,
    sizes: ({ partitionSize }) => ({ multipleOf: 32 * partitionSize, least: 32 * partitionSize }),
    headBias: false,
    options: fields,
    defaults: { partitionSize: 7, stochasticDepth: 0.2 },
    build: (options) => new MaxViT(name, options),
    stages: ['stem.', 'blocks.0.', 'blocks.1.', 'blocks.2.', 'blocks.3.'],
    weights: {
      ...(name === 'maxvit-t' && { published: publishedWeights[name], torchvision: { architecture } }),
      stem: 'stem.0.0.weight',
      resize: resizePositions,
      isComputed: (entry) => entry.endsWith('.relative_position_index'),
      optionsOf,
    },
  };
}

function architecture({ inputSize, partitionSize }: Options) {
  if (partitionSize === 7) return { name: 'maxvit_t', arguments: { input_size: [inputSize, inputSize] } };
  throw new UserError(`torchvision builds maxvit_t with partitionSize 7; this network has ${partitionSize}`);
}

function resizePositions(name: string, values: Tensor, entry: Tensor): Tensor | undefined {
  if (!name.endsWith('.relative_position_bias_table')) return undefined;
  return timmOffsets(values, { cells: entry.shape[0] ?? 0 });
}

/** The table has a row for each offset within a window, from 1 - side to side - 1 along both axes. */
function optionsOf(shapes: ReadonlyMap<string, readonly number[]>): { partitionSize?: number } {
  const table = [...shapes].find(([name]) => name.endsWith('.relative_position_bias_table'));
  const offsets = table?.[1][0];
  return offsets === undefined ? {} : { partitionSize: (Math.sqrt(offsets) + 1) / 2 };
}
