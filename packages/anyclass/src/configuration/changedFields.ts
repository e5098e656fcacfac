import { isPlainObject, type PlainObject } from './overrides.js';
import type { Configuration } from './schema.js';
import { validateConfiguration } from './validate.js';

/**
 * Returns the fields of a configuration that differ from the defaults of its network, and its dataset and network in any case.
 *
 * @example
 * changedFields(configuration) // { data: { dataset: 'pipes.csv' }, network: { name: 'tresnet-s', inputSize: 64 }, epochs: 40 }
 */
export function changedFields(configuration: Configuration): PlainObject {
  const { dataset } = configuration.data;
  const { name } = configuration.network;
  const usual = validateConfiguration({ data: { dataset }, network: { name } });
  const { data, network, ...rest } = differing(configuration, usual);
  return {
    data: { dataset, ...(isPlainObject(data) && data) },
    network: { name, ...(isPlainObject(network) && network) },
    ...rest,
  };
}

function differing(own: PlainObject, usual: PlainObject): PlainObject {
  const result: PlainObject = {};
  for (const [key, value] of Object.entries(own)) {
    const known = usual[key];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(known)) continue;
    result[key] = isPlainObject(value) && isPlainObject(known) ? differing(value, known) : value;
  }
  return result;
}
