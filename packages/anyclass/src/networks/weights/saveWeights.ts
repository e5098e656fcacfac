import { saveTensors } from '@anyclass/torch';
import type { Network } from '../network.js';

/**
 * Writes a network's weights to a safetensors file, whole or not at all, with what it takes to build the network again in
 * the metadata (`network`, `networkOptions`), and checksums of everything.
 *
 * @example
 * saveWeights(network, 'tresnet-m.safetensors', { dataset: 'sewerml' });
 */
export function saveWeights(
  network: Network,
  path: string,
  metadata: Readonly<Record<string, string>> = {},
): void {
  const options = JSON.stringify(network.options);
  const described = { ...metadata, network: network.name, networkOptions: options };
  saveTensors(path, network.stateDict(), described, { checksums: true });
}
