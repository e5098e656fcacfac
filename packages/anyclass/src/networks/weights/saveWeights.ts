import { saveTensors } from '@anyclass/torch';
import type { Network } from '../network.js';

/**
 * Writes a network's weights to a safetensors file, which is complete or absent. The metadata has checksums and what is
 * needed to rebuild the network (`network`, `networkOptions`).
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
