// How weights on this machine were trained, as far as files say: our own, or those that timm and Hugging Face write beside weights.

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readSafetensorsHeader } from '@anyclass/torch';
import { z } from 'zod';
import { parsedJson } from '../../files/wholeFile.js';
import { isNetworkName, type NetworkName, networkDefinitions } from '../catalog.js';
import type { PublishedWeights } from '../published/publishedWeights.js';
import { allPublished, ofArchitecture } from './published.js';

/** How weights were trained, as far as known. */
export interface WeightFacts {
  readonly network?: NetworkName | undefined;
  /** Options that the network needs for them, where they differ from its defaults. */
  readonly options?: PublishedWeights['options'];
  readonly inputSize?: number | undefined;
  readonly mean?: readonly number[] | undefined;
  readonly std?: readonly number[] | undefined;
  /** Whether mean and std are those of other weights of the same network, because nothing says which these have. */
  readonly isAssumed?: boolean;
}

/**
 * Returns what is known about a file: what we wrote in it, what timm or Hugging Face wrote beside it, or, for a published file under
 * its own name, what the catalog says.
 *
 * @example
 * fileFacts('convnext_tiny-983f1562.pth').network // 'convnext-t'
 */
export function fileFacts(path: string): WeightFacts {
  const own = ownFacts(path);
  if (own.network !== undefined) return own;
  const published = allPublished().find(
    ({ weights }) => 'address' in weights && basename(weights.address) === basename(path),
  );
  if (published) {
    return publishedFacts(published);
  }
  const folder = dirname(path);
  const timm = timmFacts(join(folder, 'config.json'));
  return timm.mean ? timm : { ...timm, ...huggingFaceFacts(folder) };
}

/** What the catalog says about published weights. */
export function publishedFacts({ network, weights }: ReturnType<typeof allPublished>[number]): WeightFacts {
  const { inputSize, mean, std, options } = weights;
  return { network, inputSize, mean, std, ...(options && { options }) };
}

/**
 * Returns the facts with the mean and deviation that all published weights of a network share, if these weights say nothing.
 *
 * @example
 * assumedFacts('resnet-50', {}) // { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225], isAssumed: true }
 */
export function assumedFacts(network: NetworkName, facts: WeightFacts): WeightFacts {
  if (facts.mean !== undefined && facts.std !== undefined) return facts;
  const [first, ...others] = networkDefinitions[network].weights.published ?? [];
  const isShared =
    first && others.every(({ mean, std }) => `${mean}/${std}` === `${first.mean}/${first.std}`);
  return isShared ? { ...facts, mean: first.mean, std: first.std, isAssumed: true } : facts;
}

const triple = z.array(z.number()).length(3);
const timmConfiguration = z
  .object({
    architecture: z.string(),
    pretrained_cfg: z
      .object({ input_size: z.tuple([z.int(), z.int(), z.int()]), mean: triple, std: triple })
      .partial(),
  })
  .partial();

/** Reads the `config.json` that timm writes next to weights; other files give no facts. */
export function timmFacts(file: string): WeightFacts {
  const { data } = timmConfiguration.safeParse(jsonOf(file));
  const { input_size: size, mean, std } = data?.pretrained_cfg ?? {};
  const published = ofArchitecture(data?.architecture ?? '');
  const { options } = published?.weights ?? {};
  return { network: published?.network, inputSize: size?.[2], mean, std, ...(options && { options }) };
}

const side = z
  .object({ height: z.int(), shortest_edge: z.int() })
  .partial()
  .transform(({ height, shortest_edge: shortest }) => height ?? shortest);
const preprocessor = z
  .object({ image_mean: triple, image_std: triple, crop_size: side, size: side })
  .partial();

function huggingFaceFacts(folder: string): WeightFacts {
  const { data } = preprocessor.safeParse(jsonOf(join(folder, 'preprocessor_config.json')));
  if (!data) return {};
  return { inputSize: data.crop_size ?? data.size, mean: data.image_mean, std: data.image_std };
}

const ownOptions = z.object({ inputSize: z.int() });
const ownDescription = z.object({ mean: z.array(z.number()), std: z.array(z.number()) });

/** Reads facts from files that we wrote. */
function ownFacts(path: string): WeightFacts {
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

/** The content of a JSON file, or undefined if there is none. */
function jsonOf(file: string): unknown {
  try {
    return parsedJson(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
