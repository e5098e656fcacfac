import { type ReadOptions, readFields } from '../configuration/readFields.js';
import type { Configuration } from '../configuration/schema.js';
import { followWeights } from './followWeights.js';

/**
 * Reads the configuration of a recipe, by name, or of a `.json`, `.jsonc`, `.mjs` or `.ts` file, completed by
 * what its weights determine: the network and its input size.
 *
 * @example
 * const configuration = await readConfiguration('quick', { set: { epochs: 2 } });
 * configuration.network.name // 'tresnet-s'
 */
export async function readConfiguration(source: string, options: ReadOptions = {}): Promise<Configuration> {
  const { fields, complete } = await readFields(source, options);
  return complete(await followWeights(fields));
}
