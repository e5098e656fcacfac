// How long a run takes, before anything was measured: an estimate that may be off by a factor of about four.

import { availableParallelism } from 'node:os';
import { isFeatureNetwork, type NetworkName, networkCost } from '../networks/catalog.js';
import { imageSizeOf } from './inputSize.js';
import type { Configuration } from './schema.js';

/** The size of a run's data. */
export interface RunSize {
  readonly classes: number;
  readonly train: number;
  readonly validation: number;
  readonly test: number;
}

/** Training images per second on an NVIDIA H200 at 224 px, batch 256, bfloat16: bench/RESULTS.md. */
const h200Rates: Readonly<Partial<Record<NetworkName, number>>> = {
  'tresnet-l': 4055,
  'vit-b-16': 3741,
  'maxvit-s': 1704,
};

/** Multiply-adds per second that TResNet-L reaches on an H200, for networks that were not measured there. */
const h200Speed = 3 * 4055 * networkCost('tresnet-l', 17).multiplyAdds;

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
 * assumedRate({ name: 'tresnet-l', inputSize: 224 }, 17, 'gpu') // 4055
 */
export function assumedRate(
  { name, inputSize, tiles }: Pick<Configuration['network'], 'name' | 'inputSize' | 'tiles'>,
  classes: number,
  device: 'gpu' | 'cpu',
  cores = availableParallelism(),
): number {
  const perImage = passes * networkCost(name, classes).multiplyAdds;
  const at224 = device === 'gpu' ? (h200Rates[name] ?? h200Speed / perImage) : (cores * coreSpeed) / perImage;
  // In networks this small, most of the time goes to a step's overhead, not to its matrix products.
  if (isFeatureNetwork(name)) return Math.min(at224, vectorsPerSecond);
  return at224 * (224 / imageSizeOf({ inputSize, tiles })) ** 2;
}

/**
 * Seconds for a number of epochs: training, validation after each, and scoring both splits at the end.
 *
 * @example
 * runSeconds(40, { classes: 17, train: 1_040_129, validation: 130_046, test: 0 }, 4055) / 3600 // 2.97
 */
export function runSeconds(
  epochs: number,
  { train, validation, test }: RunSize,
  imagesPerSecond: number,
): number {
  const judgedAtTheEnd = epochs > 0 ? validation + test : 0;
  return (epochs * (train + validation / passes) + judgedAtTheEnd / passes) / imagesPerSecond;
}
