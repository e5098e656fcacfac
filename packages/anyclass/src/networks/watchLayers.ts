import type { nn, Tensor } from '@anyclass/torch';
import type { Network } from './network.js';

/** What one layer did. */
export interface LayerCall {
  /** Its name in the state dict, such as `body.layer3`. */
  readonly name: string;
  readonly layer: nn.Layer;
  readonly input: Tensor;
  readonly output: Tensor;
}

export interface LayerWatch {
  /** Told before a layer runs; a tensor that it returns takes the place of the input. */
  before?(call: Omit<LayerCall, 'output'>): Tensor | undefined;
  /** Told after a layer ran; a tensor that it returns takes the place of the output. */
  after?(call: LayerCall): Tensor | undefined;
}

/**
 * Runs a function while every layer of a network reports its calls, by wrapping its `forward`.
 *
 * @example
 * const after = ({ name, output }: LayerCall) => void console.log(name, output.shape);
 * watchLayers(network, { after }, () => network.forward(images));
 */
export function watchLayers<T>(network: Network, watch: LayerWatch, run: () => T): T {
  const layers = [...network.namedModules()].flatMap(([name, layer]) =>
    isLayer(layer) ? [{ name, layer }] : [],
  );
  for (const { name, layer } of layers) {
    const { forward } = layer;
    // Attention takes keys and values too.
    layer.forward = (given: Tensor, ...others: unknown[]) => {
      const input = watch.before?.({ name, layer, input: given }) ?? given;
      const output: Tensor = Reflect.apply(forward, layer, [input, ...others]);
      return watch.after?.({ name, layer, input, output }) ?? output;
    };
  }
  try {
    return run();
  } finally {
    for (const { layer } of layers) Reflect.deleteProperty(layer, 'forward');
  }
}

/** Whether a module has a forward pass of its own. */
export function isLayer(module: nn.Module): module is nn.Layer {
  return 'forward' in module;
}
