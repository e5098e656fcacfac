import { nn } from '@anyclass/torch';
import type { NetworkName, NetworkOptions } from '../src/networks/catalog.js';
import { createNetwork } from '../src/networks/createNetwork.js';
import type { Network } from '../src/networks/network.js';

/**
 * Creates a network like `createNetwork`, faster: ConvNeXt and Swin draw 28 million weights from a truncated normal distribution, which
 * takes a second. Here it is a plain one of the same deviation.
 */
export function quickNetwork(name: NetworkName, options: NetworkOptions): Network {
  if (!/^(convnext|swin)/.test(name)) return createNetwork(name, options);
  const network = nn.init.withoutDrawing(() => createNetwork(name, options));
  for (const parameter of network.parameters()) if (parameter.ndim > 1) nn.init.normal_(parameter, 0, 0.02);
  return network;
}
