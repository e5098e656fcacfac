// How long the runs of a plan take and how much disk they need, before the first begins.

import { availableParallelism } from 'node:os';
import type { Configuration } from '../configuration/schema.js';
import { type NetworkName, networkCost, takesFeatures } from '../networks/catalog.js';

/** What a run has to work on. */
export interface RunSize {
  readonly classes: number;
  readonly train: number;
  readonly validation: number;
  readonly test: number;
}

/** Training images a second on an NVIDIA H200 at 224 px, batch 256, bfloat16: bench/RESULTS.md. */
const h200Rates: Readonly<Partial<Record<NetworkName, number>>> = {
  'tresnet-l': 2718,
  'vit-b-16': 3613,
  'maxvit-s': 1467,
};

/** Multiply-adds a second: what TResNet-L gets from an H200, for networks that were not measured there. */
const h200Speed = 3 * 2718 * networkCost('tresnet-l', 17).multiplyAdds;

/** The same of a CPU core: TResNet-M at 64 px on two cores in bench/RESULTS.md. */
const coreSpeed = 28e9;

/** Feature vectors a second, whatever the network: what a batch takes to be read and to be counted. */
const vectorsPerSecond = 10_000;

/** Forward and backward cost about three times what scoring an image does. */
const passes = 3;

/**
 * Training images a second where nobody has measured: on a GPU those of an H200, on the CPU what its cores should do.
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
  // What a step costs beside its products is most of the time of networks that small.
  if (takesFeatures(name)) return Math.min(at224, vectorsPerSecond);
  return at224 * (224 / inputSize) ** 2;
}

/**
 * Seconds that some epochs of a run take: training, and after each the validation split.
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

/** Characters of a probability in a table of scores, with the comma, and of a label. */
const cellBytes = 20 + 2;

/**
 * Bytes of a finished run's folder: the newest checkpoints, each with the optimizer's state; the weights that were best by each
 * metric; the model; scores and labels. While it runs, there is one checkpoint more whenever one is being written.
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

/** Bytes of the cache of prepared images. */
export function cacheBytes(images: number, inputSize: number, channels: number): number {
  return images * inputSize ** 2 * channels;
}
