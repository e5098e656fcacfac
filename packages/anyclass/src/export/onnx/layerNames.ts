// Which layer of a network is at work.

import type { nn, Tensor } from '@anyclass/torch';

/**
 * Runs a function that may ask for the name of the layer whose `forward` runs; a network's own is its class's name.
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
      // Not where it throws: the name of the layer that failed is still wanted.
      current = outer;
      return result;
    };
    // Not enumerable, for a module finds its parts among its fields.
    Object.defineProperty(layer, 'forward', { value: named, configurable: true, writable: true });
  }
  try {
    return fn(() => current);
  } finally {
    for (const [, layer] of layers) if (layer !== network) Reflect.deleteProperty(layer, 'forward');
  }
}

function isLayer(module: nn.Module): module is nn.Layer {
  return 'forward' in module;
}
