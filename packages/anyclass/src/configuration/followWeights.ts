// What weights bring with them: the network that they are of, and the size of its images.

import { UserError } from '../errors/userError.js';
import type { DownloadOptions } from '../hub/download.js';
import { weightFacts } from '../networks/weights/findWeights.js';
import { isPlainObject, type PlainObject } from './overrides.js';

/**
 * The fields of a configuration, with `network.name` and `network.inputSize` as its weights say where they were left open.
 *
 * @throws UserError where the weights are of another network than `network.name`, or there are none of that name
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
      `network.weights ${weights} are of ${facts.network}; network.name is ${String(name)}`,
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
      ...network,
    },
  };
}
