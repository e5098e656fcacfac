// Tells which layer of a network is running.

import type { nn, Tensor } from '@anyclass/torch';
import { isLayer } from '../../../networks/watchLayers.js';

/**
 * Calls a function with a getter for the name of the layer whose `forward` is running. The network itself has
 * the name of its class.
 *
 * @example
 * whileNamingLayers(network, (layer) => {
 *   network.forward(images);
 *   layer() // 'TResNet' here; 'body.layer1.0.conv1.0' inside
 * });
 */
export function whileNamingLayers<T>(network: nn.Module, fn: (layer: () => string) => T): T {
  const layers = [...network.namedModules()].filter((entry): entry is [string, nn.Layer] =>
    isLayer(entry[1]),
  );
  let current = network.constructor.name;
  for (const [name, layer] of layers) {
    if (layer === network) continue;
    const forward = layer.forward;
    const named = (...inputs: [Tensor]): Tensor => {
      const outer = current;
      current = name;
      const result = forward.apply(layer, inputs);
      // Not in a finally block: after an error, the name must remain that of the layer that failed.
      current = outer;
      return result;
    };
    // Not enumerable, because a module finds its parts among its enumerable fields.
    Object.defineProperty(layer, 'forward', { value: named, configurable: true, writable: true });
  }
  try {
    return fn(() => current);
  } finally {
    for (const [, layer] of layers) if (layer !== network) Reflect.deleteProperty(layer, 'forward');
  }
}
