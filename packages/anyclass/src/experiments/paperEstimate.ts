// Estimates how much disk space the runs of a plan need, before the first one starts.

import type { RunSize } from '../configuration/expectedTime.js';
import type { Configuration } from '../configuration/schema.js';
import { networkCost } from '../networks/catalog.js';

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
