import type { ConfigurationInput } from './schema.js';

/**
 * Provides types and completion for a configuration in a `.mjs` or `.ts` file.
 *
 * @example
 * export default defineConfig({ data: { dataset: 'digits' }, network: { name: 'tresnet-s', inputSize: 64 } });
 */
export function defineConfig(configuration: ConfigurationInput): ConfigurationInput {
  return configuration;
}
