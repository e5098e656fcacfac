// Named setups: those of arXiv 2506.05721, the one that performed best in our benchmarks, one for small data
// on a CPU, one for feature vectors, and one for networks that start from weights.

import { type FolderDataset, parseDataset } from '../data/datasetSpec.js';
import { UsageError } from '../errors/usageError.js';
import { isNetworkName, type NetworkName, networkDefinitions } from '../networks/catalog.js';
import { fineTuningOf } from '../networks/fineTuning.js';
import { merged, type PlainObject } from './overrides.js';

export const paperDatasets = [
  'sewerml',
  'chestxray14',
  'coco-41',
  'coco-animals',
] as const satisfies readonly FolderDataset[];
const paperNetworks = ['tresnet-l', 'vit-b-16', 'maxvit-s'] as const satisfies readonly NetworkName[];
export type PaperDataset = (typeof paperDatasets)[number];
export type PaperNetwork = (typeof paperNetworks)[number];

/** What a recipe of the paper is for: its name is `paper/DATASET/NETWORK`. */
export interface PaperRecipe {
  readonly dataset: PaperDataset;
  readonly network: PaperNetwork;
}

/** The names that `recipe` knows. */
export const recipeNames: readonly string[] = [
  'quick',
  'strong',
  'features',
  'fine-tuning',
  ...paperDatasets.flatMap((dataset) =>
    paperNetworks.map((network) => paperRecipeName({ dataset, network })),
  ),
];

/**
 * The fields that a recipe sets, or undefined if there is no such recipe. `strong`, `features` and the
 * paper's recipes do not set `data.dataset`, which needs the folder.
 *
 * @example
 * recipe('paper/coco-animals/tresnet-l') // { epochs: 40, batchSize: 256, loss: { name: 'any-bce', lambda: 0.2 … } … }
 */
export function recipe(name: string): PlainObject | undefined {
  if (name === 'quick') return quick;
  if (name === 'strong') return strong;
  if (name === 'features') return features;
  if (name === 'fine-tuning') return fineTuning;
  const known = paperRecipe(name);
  return known && paper(known);
}

/**
 * The dataset and network of a recipe's name, or undefined if it is not one of the paper's.
 *
 * @example
 * paperRecipe('paper/sewerml/vit-b-16') // { dataset: 'sewerml', network: 'vit-b-16' }
 */
export function paperRecipe(name: string): PaperRecipe | undefined {
  const parts = name.split('/');
  const dataset = paperDatasets.find((known) => known === parts[1]);
  const network = paperNetworks.find((known) => known === parts[2]);
  return parts.length === 3 && parts[0] === 'paper' && dataset && network ? { dataset, network } : undefined;
}

export function paperRecipeName({ dataset, network }: PaperRecipe): string {
  return `paper/${dataset}/${network}`;
}

/** The requested data and network; either may be left to the recipe. */
export interface RecipeWishes {
  /** DATASET. */
  readonly dataset?: string | undefined;
  readonly network?: string | undefined;
}

/**
 * Returns the recipe to use for other data or another network: each of the paper's pairs has its own; any
 * other `name` is returned unchanged. Throws for a network that the paper has no recipe for.
 *
 * @example
 * recipeFor('paper/sewerml/tresnet-l', { network: 'maxvit-s' }) // 'paper/sewerml/maxvit-s'
 * recipeFor('quick', { network: 'maxvit-s' }) // 'quick'
 */
export function recipeFor(name: string, wishes: RecipeWishes): string {
  const own = paperRecipe(name);
  if (!own) return name;
  const { network } = wishes;
  if (network !== undefined && isNetworkName(network) && !isPaperNetwork(network)) {
    throw new UsageError(
      `${name} is the recipe of ${own.network}, and the paper has none for ${network}; to train ${network} with this one, set network.name=${network}`,
      'networks',
    );
  }
  return paperRecipeName({
    dataset: paperDatasetOf(wishes.dataset) ?? own.dataset,
    network: network !== undefined && isPaperNetwork(network) ? network : own.network,
  });
}

/** The paper's dataset that a DATASET names, if any. */
export function paperDatasetOf(dataset: string | undefined): PaperDataset | undefined {
  const spec = dataset === undefined ? undefined : parseDataset(dataset);
  return spec?.kind === 'known' ? paperDatasets.find((name) => name === spec.name) : undefined;
}

export function isPaperNetwork(name: string): name is PaperNetwork {
  return paperNetworks.some((known) => known === name);
}

// A warm-up by step: by epoch, it would train the whole first epoch at a hundredth of the rate.
const quick: PlainObject = {
  data: { dataset: 'digits' },
  network: { name: 'tresnet-s', inputSize: 'small' },
  epochs: 8,
  batchSize: 64,
  optimizer: { name: 'adamw', rate: 0.002, weightDecay: 0.02 },
  schedule: { name: 'cosine', every: 'step', warmUpEpochs: 1 },
  finalWeights: 'last',
};

// docs/results.md has the results. An input that fits the network's stride, and training long enough with crops for it, gained more
// than any loss; class balancing cost 5 points of F1 and more.
const strong: PlainObject = {
  network: { name: 'tresnet-m', inputSize: 'fit' },
  loss: { name: 'any-bce', alpha: 1, lambda: 0.02, beta: null, reduction: 'mean' },
  optimizer: { name: 'adamw', rate: 0.001, weightDecay: 0.05 },
  schedule: { name: 'cosine', every: 'step' },
  finalWeights: 'last',
  epochs: 40,
  sizes: 'progressive',
  batchSize: 256,
  clipNorm: 1,
  augmentation: 'crops',
};

/** For tables of feature vectors, which train in seconds on a CPU. */
const features: PlainObject = {
  network: { name: 'mlp' },
  loss: { name: 'any-bce', alpha: 1, lambda: 0.02, beta: null, reduction: 'mean' },
  optimizer: { name: 'adamw', rate: 0.001, weightDecay: 0.05 },
  schedule: { name: 'cosine' },
  finalWeights: 'last',
  epochs: 40,
  batchSize: 64,
};

/** For a network that starts from weights; `fineTuningFields` adds what depends on the network. */
const fineTuning: PlainObject = {
  loss: { name: 'any-bce', alpha: 1, lambda: 0.02, beta: null, reduction: 'mean' },
  schedule: { name: 'cosine', every: 'step', warmUpEpochs: 1 },
  finalWeights: 'last',
  epochs: 20,
  batchSize: 64,
  clipNorm: 1,
};

/**
 * The fields of the recipe `fine-tuning` that depend on the network: its usual rates, layer decay, frozen epochs and stochastic depth.
 *
 * @example
 * fineTuningFields('resnet-50') // { optimizer: { name: 'adamw', rate: 0.001, weightDecay: 0.01 }, network: { trunkRate: 0.1, layerRate: 1, frozenEpochs: 1 } }
 */
export function fineTuningFields(name: NetworkName): PlainObject {
  const { rate, weightDecay, ...network } = fineTuningOf(networkDefinitions[name].fineTuning);
  return { optimizer: { name: 'adamw', rate, weightDecay }, network };
}

function paper({ dataset, network }: PaperRecipe): PlainObject {
  const shared: PlainObject = {
    network: { name: network, inputSize: 224 },
    batchSize: 256,
    clipNorm: 1,
    loss: {
      name: 'any-bce',
      alpha: 1,
      lambda: dataset === 'coco-animals' ? 0.2 : 0.02,
      beta: 0.9999,
      gamma: 2,
      reduction: 'batch',
    },
    checkpoints: { best: ['mAP', 'macroF1', dataset === 'sewerml' ? 'f2Ciw' : 'macroF2', 'loss'] },
    bestBy: 'mAP',
  };
  return merged(shared, network === 'tresnet-l' ? convolutional : transformer(dataset, network));
}

const convolutional: PlainObject = {
  epochs: 40,
  optimizer: { name: 'sgd', rate: 0.1, momentum: 0.9, weightDecay: 1e-4 },
  schedule: { name: 'steps', milestones: [20, 30], factor: 0.01 },
};

function transformer(dataset: PaperDataset, network: PaperNetwork): PlainObject {
  // The warm-up starts at 1e-5 either way.
  const [rate, warmUpFactor] =
    dataset === 'chestxray14' && network === 'maxvit-s' ? [1e-4, 0.1] : [1e-3, 0.01];
  return {
    epochs: 90,
    optimizer: { name: 'adamw', rate, betas: [0.9, 0.999], weightDecay: 0.05 },
    // The cycles start after the warm-up: restarts are at epochs 15, 35 and 75.
    schedule: {
      name: 'cosine',
      firstCycle: 10,
      cycleFactor: 2,
      floor: 1e-5,
      warmUpEpochs: 5,
      warmUpFactor,
    },
  };
}
