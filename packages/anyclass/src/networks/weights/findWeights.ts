// Weights by name, on this machine: from the cache, downloaded, or a path as it is.

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
import { networkOfArchitecture, type PublishedWeights } from './published.js';
import { parseWeights, type WeightsName } from './weightsName.js';

/** What weights were trained with, as far as they tell. */
export interface WeightFacts {
  readonly network?: NetworkName | undefined;
  readonly inputSize?: number | undefined;
  readonly mean?: readonly number[] | undefined;
  readonly std?: readonly number[] | undefined;
}

export interface FoundWeights {
  /** As they were asked for. */
  readonly name: string;
  /** A file that `loadWeights` reads. */
  readonly path: string;
  /** Of a repository of the hub. */
  readonly commit?: string;
  readonly facts: WeightFacts;
}

/**
 * Finds weights by what `network.weights` may be, and downloads them where they are not there.
 *
 * @throws UserError where there are none, or they cannot be had
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
    throw new UserError(`${text}: the download was interrupted; the next one resumes it`, { exitCode: 130 });
  }
}

/**
 * What weights were trained with, without downloading them; of a repository of the hub its `config.json` is read.
 *
 * @example
 * (await weightFacts('timm/vit_base_patch16_384.augreg_in1k')).inputSize // 384
 */
export async function weightFacts(text: string, options: DownloadOptions = {}): Promise<WeightFacts> {
  return await factsOf(parseWeights(text), options);
}

/** Where published weights are: what `hubFile` and `addressFile` take. */
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

/** The names that weights have in repositories, the better format first. */
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

/** A run stands for the weights that it ended with. */
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

/** What timm writes beside weights. Repositories of other libraries say nothing that is understood here. */
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

/** Files that we wrote tell how to use them. */
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
