// The weights in this machine's caches, by their names in configurations.

import { existsSync, statSync } from 'node:fs';
import { UserError } from '../../errors/userError.js';
import { cachedAddressFile } from '../../hub/addressFile.js';
import {
  removeAddressFile,
  removeHubFile,
  type Verification,
  verifyAddressFile,
  verifyHubFile,
} from '../../hub/cacheCare.js';
import { cachedHubFile } from '../../hub/hubCache.js';
import { type HubSettings, hubSettings } from '../../hub/settings.js';
import type { NetworkName } from '../catalog.js';
import type { PublishedWeights } from '../published/publishedWeights.js';
import { sourceOf, weightFileNames } from './findWeights.js';
import { allPublished } from './published.js';
import { parseWeights } from './weightsName.js';

export type ListedWeights = PublishedWeights & {
  readonly network: NetworkName;
  /** Path and size of the cached file; left out if it is not on this machine. */
  readonly cached?: { readonly path: string; readonly bytes: number };
};

/**
 * Lists all published weights, marking those on this machine.
 *
 * @example
 * listWeights().filter(({ network }) => network === 'resnet-18').length // 8
 */
export function listWeights(settings: HubSettings = hubSettings()): ListedWeights[] {
  return allPublished().map(({ network, weights }) => {
    const source = sourceOf(weights);
    const cached =
      source.kind === 'hub' ? cachedHubFile(settings.cache, source) : cachedAddressFile(settings, source);
    return {
      ...weights,
      network,
      ...(cached && { cached: { path: cached.path, bytes: statSync(cached.path).size } }),
    };
  });
}

/**
 * Verifies the hash of weights on this machine.
 *
 * @throws UserError if they are not on this machine
 *
 * @example
 * (await verifyWeights('timm/resnet18.a1_in1k')).ok // true
 */
export async function verifyWeights(
  name: string,
  settings: HubSettings = hubSettings(),
): Promise<Verification> {
  for (const source of storedSources(name)) {
    const verification =
      source.kind === 'hub'
        ? await verifyHubFile(settings, source)
        : await verifyAddressFile(settings, source);
    if (verification) return verification;
  }
  throw new UserError(
    `${name} is not on this machine: neither in ${settings.cache} nor in ${settings.addressCache}`,
  );
}

/**
 * Removes weights from this machine, including the remains of unfinished downloads.
 *
 * @returns the bytes freed, 0 if another revision still needs them; undefined if there was nothing to remove
 *
 * @example
 * await removeWeights('timm/resnet18.a1_in1k') // 46807446
 */
export async function removeWeights(
  name: string,
  settings: HubSettings = hubSettings(),
): Promise<number | undefined> {
  let freed: number | undefined;
  for (const source of storedSources(name)) {
    const bytes =
      source.kind === 'hub'
        ? await removeHubFile(settings, source)
        : await removeAddressFile(settings, source);
    if (bytes !== undefined) freed = (freed ?? 0) + bytes;
  }
  return freed;
}

/** Returns the files that a name may stand for, most likely first. */
function storedSources(text: string) {
  const name = parseWeights(text);
  switch (name.kind) {
    case 'published':
      return [sourceOf(name.weights)];
    case 'address':
      return [name];
    case 'hub':
      return (name.file === undefined ? weightFileNames : [name.file]).map((file) => ({ ...name, file }));
    case 'path': {
      const what = existsSync(name.path)
        ? 'a path; only weights by name are cached'
        : 'neither the name of weights nor a path';
      throw new UserError(`${text} is ${what}`);
    }
  }
}
