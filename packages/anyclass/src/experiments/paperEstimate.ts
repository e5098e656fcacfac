// Estimates how long the runs of a plan take and how much disk space they need, before the first one starts.

import { availableParallelism } from 'node:os';
import { knownInputSize } from '../configuration/inputSize.js';
import type { Configuration } from '../configuration/schema.js';
import { isFeatureNetwork, type NetworkName, networkCost } from '../networks/catalog.js';

/** The size of a run's data. */
export interface RunSize {
  readonly classes: number;
  readonly train: number;
  readonly validation: number;
  readonly test: number;
}

/** Training images per second on an NVIDIA H200 at 224 px, batch 256, bfloat16: bench/RESULTS.md. */
const h200Rates: Readonly<Partial<Record<NetworkName, number>>> = {
  'tresnet-l': 2718,
  'vit-b-16': 3613,
  'maxvit-s': 1467,
};

/** Multiply-adds per second that TResNet-L reaches on an H200, for networks that were not measured there. */
const h200Speed = 3 * 2718 * networkCost('tresnet-l', 17).multiplyAdds;

/** Multiply-adds per second of a CPU core: TResNet-M at 64 px on two cores in bench/RESULTS.md. */
const coreSpeed = 28e9;

/** Feature vectors per second with any network: the cost of reading a batch and computing its metrics. */
const vectorsPerSecond = 10_000;

/** A forward and backward pass costs about three times as much as scoring. */
const passes = 3;

/**
 * Assumed training images per second: on a GPU the rate of an H200, on the CPU an estimate from its cores.
 *
 * @example
 * assumedRate({ name: 'tresnet-l', inputSize: 224 }, 17, 'gpu') // 2718
 */
export function assumedRate(
  { name, inputSize }: Pick<Configuration['network'], 'name' | 'inputSize'>,
  classes: number,
  device: 'gpu' | 'cpu',
  cores = availableParallelism(),
): number {
  const perImage = passes * networkCost(name, classes).multiplyAdds;
  const at224 = device === 'gpu' ? (h200Rates[name] ?? h200Speed / perImage) : (cores * coreSpeed) / perImage;
  // In networks this small, most of the time goes to a step's overhead, not to its matrix products.
  if (isFeatureNetwork(name)) return Math.min(at224, vectorsPerSecond);
  return at224 * (224 / knownInputSize({ inputSize })) ** 2;
}

/**
 * Seconds for a number of epochs: training, validation after each, and scoring both splits at the end.
 *
 * @example
 * runSeconds(40, { classes: 17, train: 1_040_129, validation: 130_046, test: 0 }, 2718) / 3600 // 4.43
 */
export function runSeconds(
  epochs: number,
  { train, validation, test }: RunSize,
  imagesPerSecond: number,
): number {
  const judgedAtTheEnd = epochs > 0 ? validation + test : 0;
  return (epochs * (train + validation / passes) + judgedAtTheEnd / passes) / imagesPerSecond;
}

/** Characters in a score table for a probability with its comma, plus those for a label. */
const cellBytes = 20 + 2;

/**
 * Bytes of a run's folder at its largest: the newest checkpoints, each with the optimizer state; the best weights
 * by each metric; the model; scores and labels. A finished run drops its checkpoints, unless asked to keep them.
 */
export function runBytes(configuration: Configuration, size: RunSize): number {
  const { network, optimizer, averageDecay, checkpoints, bestBy } = configuration;
  const weights = 4 * networkCost(network.name, size.classes).parameters;
  const momenta = optimizer.name === 'adamw' ? 2 : Number(optimizer.momentum > 0);
  const checkpoint = weights * (1 + momenta + (averageDecay === undefined ? 0 : 1));
  const best = new Set([bestBy, ...checkpoints.best]).size;
  const scores = (size.validation + size.test) * size.classes * cellBytes;
  return checkpoints.keep * checkpoint + (best + 1) * weights + scores;
}

/** Bytes of the cache of preprocessed images. */
export function cacheBytes(images: number, inputSize: number, channels: number): number {
  return images * inputSize ** 2 * channels;
}
