// Finds weights by name: in the cache, by downloading, or at a path.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../errors/userError.js';
import { checkInputFile } from '../../files/inputs.js';
import { addressFile } from '../../hub/addressFile.js';
import { type DownloadOptions, hubFile } from '../../hub/download.js';
import { NotOnServer } from '../../hub/problems.js';
import type { PublishedWeights } from '../published/publishedWeights.js';
import { fileFacts, publishedFacts, timmFacts, type WeightFacts } from './fileFacts.js';
import { parseWeights, type WeightsName } from './weightsName.js';

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
    const { reason } = options.signal;
    const exitCode = reason instanceof UserError ? reason.exitCode : 130;
    throw new UserError(`${text}: the download was interrupted; run it again to resume`, { exitCode });
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

/** Returns a weight file; a run folder stands for its final weights, and large models may be spread over several files. */
function localFile(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const names = weightFileNames.flatMap((name) => [name, `${name}.index.json`]);
  const file = isFolder ? names.map((name) => join(path, name)).find(existsSync) : path;
  if (file === undefined) {
    throw new UserError(
      `network.weights ${path}: no ${weightFileNames.join(' or ')}; expected the folder of a finished run or of a downloaded model, or a file`,
    );
  }
  checkInputFile(file, 'network.weights');
  return file;
}

async function factsOf(name: WeightsName, options: DownloadOptions): Promise<WeightFacts> {
  switch (name.kind) {
    case 'published':
      return publishedFacts(name);
    case 'hub':
      return repositoryFacts(name, options);
    case 'path':
      return fileFacts(localFile(name.path));
    case 'address':
      return {};
  }
}

/** Reads what timm writes next to weights. Other libraries' repositories give no facts. */
async function repositoryFacts(
  { repository, revision }: { readonly repository: string; readonly revision: string },
  options: DownloadOptions,
): Promise<WeightFacts> {
  try {
    return timmFacts((await hubFile({ repository, revision, file: 'config.json' }, options)).path);
  } catch (error) {
    if (error instanceof NotOnServer) return {};
    throw error;
  }
}
