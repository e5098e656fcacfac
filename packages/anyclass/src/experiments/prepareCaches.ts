// Decodes images once for all runs, before the first one starts, so that no two processes write one cache.

import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { imageSizeOf } from '../configuration/inputSize.js';
import { preparedOptions } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import { openPixels } from '../data/cache/openCache.js';
import { prepareCache } from '../data/cache/prepareCache.js';
import { pixelFormat } from '../data/dataset/preparation.js';
import { imageBytes } from '../data/dataset/reading/pixelFormat.js';
import { parseDataset } from '../data/datasetSpec.js';
import { openPrepared } from '../data/openPrepared.js';
import type { RunEventListener } from '../events/runEvent.js';
import { isFeatureNetwork } from '../networks/catalog.js';

/** Bytes to leave free on the disk for checkpoints and scores. */
const reserve = 2 * 2 ** 30;

/** Average uses per image that justify a cache: short runs on part of the data decode less without one. */
const worthwhile = 2;

/**
 * Completes the caches that the runs use. If the disk has no room, or a cache would not pay off, the runs
 * decode images as they go. The scenes of `digits` are drawn, not decoded, and need no cache.
 *
 * @example
 * await prepareCaches(plan.map(({ configuration }) => configuration), console.error, signal);
 */
export async function prepareCaches(
  configurations: readonly Configuration[],
  onEvent: RunEventListener,
  signal: AbortSignal,
): Promise<void> {
  const sharing = new Map<string, Configuration[]>();
  for (const configuration of configurations) {
    if (parseDataset(configuration.data.dataset).kind === 'digits') continue;
    const key = cacheKey(configuration);
    sharing.set(key, [...(sharing.get(key) ?? []), configuration]);
  }
  for (const [first, ...others] of sharing.values()) await prepareOne([first!, ...others], onEvent, signal);
}

function cacheKey({ data, network }: Configuration): string {
  const { dataset, columns, imageFolder, channels, window, frame, cache } = data;
  return JSON.stringify([
    dataset,
    columns,
    imageFolder,
    channels,
    window,
    frame,
    cache,
    network.tiles?.imageSize ?? network.inputSize,
  ]);
}

async function prepareOne(
  runs: readonly [Configuration, ...Configuration[]],
  onEvent: RunEventListener,
  signal: AbortSignal,
): Promise<void> {
  const [{ data, network }] = runs;
  if (isFeatureNetwork(network.name)) return; // feature vectors need no decoding
  const dataset = await openPrepared(data.dataset, preparedOptions(data));
  try {
    if (dataset.features) return; // the run itself reports that its network takes images
    const format = pixelFormat(imageSizeOf(network), dataset.preparation);
    const { pixels, state } = await openPixels(dataset, format, data.cache);
    await pixels.close();
    if (state.kind === 'complete') return;
    const { train, validation } = dataset.splits;
    const epochs = runs.reduce((sum, run) => sum + run.epochs, 0);
    if (epochs * (train.length + validation.length) < worthwhile * dataset.names.length) return;
    const bytes = dataset.names.length * imageBytes(format);
    const free = await freeBytes(data.cache);
    if (free < bytes + reserve) {
      onEvent({
        type: 'note',
        text: `No room for a cache at ${data.cache} (${gibibytes(bytes)} GiB needed, ${gibibytes(free)} free); every run decodes the images itself`,
      });
      return;
    }
    await prepareCache(dataset, {
      format,
      folder: data.cache,
      signal,
      strict: data.strict,
      onEvent,
    });
  } finally {
    await dataset.images.close();
  }
}

/** Returns the free bytes on the disk that holds `path`, which need not exist yet. */
export async function freeBytes(path: string): Promise<number> {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = await statfs(existing);
  return bavail * bsize;
}

function gibibytes(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
