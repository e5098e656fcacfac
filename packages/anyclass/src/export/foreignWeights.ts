// Writes our weights with the names and values that another library expects.

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isPartial } from '@anyclass/files';
import { noGrad, saveTensors, type Tensor, tidy } from '@anyclass/torch';
import { type ImagePreparation, takesFeatures } from '../data/dataset/inputs.js';
import { UserError } from '../errors/userError.js';
import { writeWhole } from '../files/wholeFile.js';
import { definitionOf, networkDefinitions, networkNames } from '../networks/catalog.js';
import type { ForeignNetwork } from '../networks/definition.js';
import type { Network } from '../networks/network.js';
import type { Model, ModelDescription } from '../runs/modelFile.js';

/** What an export wrote. */
export interface ForeignExport {
  readonly folder: string;
  /** The library's name for the network. */
  readonly architecture: string;
  readonly files: readonly string[];
}

/**
 * Returns a library's rules for a network; throws an error that lists the supported networks if there are
 * none.
 */
export function foreignNetwork<Library extends 'timm' | 'torchvision'>(network: Network, library: Library) {
  const rules = definitionOf(network).weights[library];
  if (!rules) {
    const known = networkNames.filter((name) => networkDefinitions[name].weights[library]);
    throw new UserError(`${library} has no ${network.name}; it has ${known.join(', ')}`);
  }
  const { head, tiles, mirror } = network.options;
  if (tiles)
    throw new UserError(
      `${library} cannot cut images into tiles, as this ${network.name} does; export it as ONNX`,
    );
  if (mirror)
    throw new UserError(
      `${library} cannot predict from an image and its mirror image, as this ${network.name} does; export it as ONNX`,
    );
  if (head !== 'linear')
    throw new UserError(`${library} has no ${head} head, so it cannot load this ${network.name}`);
  return rules;
}

/** Writes `model.safetensors` and then `config.json` into a new or empty folder. */
export function writeExport(
  folder: string,
  { network }: Model,
  rules: ForeignNetwork,
  configuration: Readonly<Record<string, unknown>>,
): string[] {
  if (existsSync(folder) && !readdirSync(folder).every(isPartial)) {
    throw new UserError(`${folder} is not empty; delete it or choose another folder`);
  }
  mkdirSync(folder, { recursive: true });
  const files = ['model.safetensors', 'config.json'].map((name) => join(folder, name));
  const [weights = '', config = ''] = files;
  tidy(() => noGrad(() => saveTensors(weights, foreignTensors(network, rules), { format: 'pt' })));
  writeWhole(config, `${JSON.stringify(configuration, null, 2)}\n`);
  return files;
}

function foreignTensors(network: Network, { rename, convert }: ForeignNetwork): Map<string, Tensor> {
  const entries = [...network.stateDict()].flatMap(([name, tensor]): [string, Tensor][] => {
    const foreign = rename ? rename(name) : name;
    return foreign === undefined ? [] : [[foreign, convert ? convert(name, tensor) : tensor]];
  });
  return new Map(entries);
}

/**
 * Returns how images are prepared; throws for networks of features, which the other libraries do not have.
 */
export function imagePreparation(description: ModelDescription): ImagePreparation {
  if (takesFeatures(description))
    throw new UserError('the model takes features, but networks of this library take images');
  return description;
}

/** Returns one value for each of three channels; the value of gray images is repeated. */
export function threeChannels(values: readonly number[]): readonly number[] {
  return values.length === 1 ? [values[0]!, values[0]!, values[0]!] : values;
}
