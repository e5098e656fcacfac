// Finds weights by name: in the cache, by downloading, or at a path.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensorsHeader } from '@anyclass/torch';
import { z } from 'zod';
import { UserError } from '../../errors/userError.js';
import { checkInputFile } from '../../files/inputs.js';
import { parsedJson } from '../../files/wholeFile.js';
import { addressFile } from '../../hub/addressFile.js';
import { type DownloadOptions, hubFile } from '../../hub/download.js';
import { NotOnServer } from '../../hub/problems.js';
import { isNetworkName, type NetworkName } from '../catalog.js';
import type { PublishedWeights } from '../published/publishedWeights.js';
import { networkOfArchitecture } from './published.js';
import { parseWeights, type WeightsName } from './weightsName.js';

/** How weights were trained, as far as known. */
export interface WeightFacts {
  readonly network?: NetworkName | undefined;
  readonly inputSize?: number | undefined;
  readonly mean?: readonly number[] | undefined;
  readonly std?: readonly number[] | undefined;
}

export interface FoundWeights {
  /** The name as requested. */
  readonly name: string;
  /** A file that `loadWeights` reads. */
  readonly path: string;
  /** Commit of a hub repository. */
  readonly commit?: string;
  readonly facts: WeightFacts;
}

/**
 * Finds weights by any value that `network.weights` may have, and downloads them if necessary.
 *
 * @throws UserError if there are none, or they are not available
 *
 * @example
 * const { path, facts } = await findWeights('timm/tresnet_l.miil_in1k');
 * facts.mean // [0, 0, 0]
 */
export async function findWeights(text: string, options: DownloadOptions = {}): Promise<FoundWeights> {
  const name = parseWeights(text);
  try {
    return { name: text, ...(await fileOf(name, options)), facts: await factsOf(name, options) };
  } catch (error) {
    if (!options.signal?.aborted) throw error;
    throw new UserError(`${text}: the download was interrupted; run it again to resume`, { exitCode: 130 });
  }
}

/**
 * Returns how weights were trained, without downloading them; for a hub repository, its `config.json` is read.
 *
 * @example
 * (await weightFacts('timm/vit_base_patch16_384.augreg_in1k')).inputSize // 384
 */
export async function weightFacts(text: string, options: DownloadOptions = {}): Promise<WeightFacts> {
  return await factsOf(parseWeights(text), options);
}

/** Returns where published weights are, as `hubFile` and `addressFile` take it. */
export function sourceOf(weights: PublishedWeights) {
  if ('address' in weights)
    return { kind: 'address', address: weights.address, sha256: weights.sha256 } as const;
  const { repository, revision = 'main', sha256 } = weights;
  return { kind: 'hub', repository, revision, file: 'model.safetensors', sha256 } as const;
}

type Found = Pick<FoundWeights, 'path' | 'commit'>;

async function fileOf(name: WeightsName, options: DownloadOptions): Promise<Found> {
  switch (name.kind) {
    case 'published': {
      const source = sourceOf(name.weights);
      return source.kind === 'hub' ? hubFile(source, options) : { path: await addressFile(source, options) };
    }
    case 'address':
      return { path: await addressFile(name, options) };
    case 'hub':
      return name.file === undefined
        ? anyWeightFile(name, options)
        : hubFile({ ...name, file: name.file }, options);
    case 'path':
      return { path: localFile(name.path) };
  }
}

/** Usual names of weight files in repositories, better format first. */
export const weightFileNames = ['model.safetensors', 'pytorch_model.bin'] as const;

async function anyWeightFile(
  { repository, revision }: { readonly repository: string; readonly revision: string },
  options: DownloadOptions,
): Promise<Found> {
  for (const file of weightFileNames) {
    try {
      return await hubFile({ repository, revision, file }, options);
    } catch (error) {
      if (!(error instanceof NotOnServer)) throw error;
    }
  }
  throw new UserError(
    `hf:${repository}@${revision} has neither ${weightFileNames.join(' nor ')}; name its file: hf:${repository}@${revision}:FILE`,
  );
}

/** Returns a weight file; a run folder stands for its final weights. */
export function localFile(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const file = isFolder ? join(path, 'model.safetensors') : path;
  if (isFolder && !existsSync(file)) {
    throw new UserError(
      `network.weights ${path}: no model.safetensors; expected the folder of a finished run, or a file`,
    );
  }
  checkInputFile('network.weights', file);
  return file;
}

async function factsOf(name: WeightsName, options: DownloadOptions): Promise<WeightFacts> {
  switch (name.kind) {
    case 'published': {
      const { network, weights } = name;
      return { network, inputSize: weights.inputSize, mean: weights.mean, std: weights.std };
    }
    case 'hub':
      return repositoryFacts(name, options);
    case 'path':
      return fileFacts(localFile(name.path));
    case 'address':
      return {};
  }
}

const triple = z.array(z.number()).length(3);
const timmFacts = z.object({
  input_size: z.tuple([z.int(), z.int(), z.int()]).optional(),
  mean: triple.optional(),
  std: triple.optional(),
});
const timmConfiguration = z.object({ architecture: z.string(), pretrained_cfg: timmFacts }).partial();

/** Reads what timm writes next to weights. Other libraries' repositories give no facts. */
async function repositoryFacts(
  { repository, revision }: { readonly repository: string; readonly revision: string },
  options: DownloadOptions,
): Promise<WeightFacts> {
  try {
    const { path } = await hubFile({ repository, revision, file: 'config.json' }, options);
    const { data } = timmConfiguration.safeParse(parsedJson(readFileSync(path, 'utf8')));
    const { input_size: size, mean, std } = data?.pretrained_cfg ?? {};
    const network = networkOfArchitecture(data?.architecture ?? '');
    return { network, inputSize: size?.[2], mean, std };
  } catch (error) {
    if (error instanceof NotOnServer) return {};
    throw error;
  }
}

const ownOptions = z.object({ inputSize: z.int() });
const ownDescription = z.object({ mean: z.array(z.number()), std: z.array(z.number()) });

/** Reads facts from files that we wrote. */
function fileFacts(path: string): WeightFacts {
  if (!path.endsWith('.safetensors')) return {};
  const { network = '', networkOptions = '', model = '' } = readSafetensorsHeader(path).metadata;
  const options = ownOptions.safeParse(parsedJson(networkOptions));
  const description = ownDescription.safeParse(parsedJson(model));
  return {
    network: isNetworkName(network) ? network : undefined,
    inputSize: options.data?.inputSize,
    mean: description.data?.mean,
    std: description.data?.std,
  };
}
