// What weights determine: their network, its input size, and other options that they need.

import { isPlainObject, type PlainObject } from '../configuration/overrides.js';
import { UserError } from '../errors/userError.js';
import type { DownloadOptions } from '../hub/download.js';
import { weightFacts } from '../networks/weights/findWeights.js';

/**
 * Returns the fields of a configuration; `network.name`, `network.inputSize` and options that the weights need default to the weights' own.
 *
 * @throws UserError if the weights belong to a network other than `network.name`, or do not exist
 *
 * @example
 * await followWeights({ network: { weights: 'timm/tresnet_l.miil_in1k_448' } })
 * // { network: { name: 'tresnet-l', inputSize: 448, weights: 'timm/tresnet_l.miil_in1k_448' } }
 */
export async function followWeights(
  fields: PlainObject,
  options: DownloadOptions = {},
): Promise<PlainObject> {
  const { network } = fields;
  if (!isPlainObject(network)) return fields;
  const { weights, name } = network;
  if (typeof weights !== 'string') return fields;
  const facts = await weightFacts(weights, options);
  if (facts.network !== undefined && name !== undefined && name !== facts.network) {
    throw new UserError(
      `network.weights ${weights} belong to ${facts.network}, but network.name is ${String(name)}`,
      {
        setting: `network.name=${facts.network}`,
      },
    );
  }
  return {
    ...fields,
    network: {
      ...(facts.network !== undefined && { name: facts.network }),
      ...(facts.inputSize !== undefined && { inputSize: facts.inputSize }),
      ...facts.options,
      ...network,
      ...(typeof network['inputSize'] === 'string' &&
        facts.inputSize !== undefined && { inputSize: facts.inputSize }),
    },
  };
}
