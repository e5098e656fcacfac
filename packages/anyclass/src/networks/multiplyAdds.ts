// Counts how much a network computes while it runs.

import { nn, noGrad, type Tensor, tidy, zeros } from '@anyclass/torch';
import type { Network } from './network.js';
import { type LayerCall, watchLayers } from './watchLayers.js';

/** A layer that computes more than its children do. */
interface Counted {
  multiplyAdds(input: Tensor, output: Tensor): number;
}

/**
 * Returns the multiply-adds for one image: those of convolutions, products and attention. Papers and model zoos report this
 * number as 'FLOPs'; like them, we leave out norms, activations and pooling.
 *
 * @example
 * countMultiplyAdds(createNetwork('vit-b-16', { classes: 1000 })) // 17563828224, torchvision's 17.56 GFLOPS
 */
export function countMultiplyAdds(network: Network): number {
  let total = 0;
  const after = ({ layer, input, output }: LayerCall) => {
    total += multiplyAddsOf(layer, input, output);
    return undefined;
  };
  const run = () =>
    tidy(() => noGrad(() => whileEvaluating(network, () => network.forward(blankInput(network)))));
  watchLayers(network, { after }, run);
  return total;
}

function multiplyAddsOf(layer: nn.Layer, input: Tensor, output: Tensor): number {
  if (isCounted(layer)) return layer.multiplyAdds(input, output);
  if (layer instanceof nn.Conv2d) return output.numel * (layer.weight.numel / (layer.weight.shape[0] ?? 1));
  if (layer instanceof nn.Linear) return output.numel * (layer.weight.shape[1] ?? 1);
  if (layer instanceof nn.MultiheadAttention) {
    const [batch = 0, length = 0, width = 0] = input.shape;
    return batch * length * (layer.inProjWeight.numel + 2 * length * width);
  }
  return 0;
}

function whileEvaluating(network: Network, fn: () => Tensor): Tensor {
  const { training } = network;
  network.eval();
  try {
    return fn();
  } finally {
    network.train(training);
  }
}

function blankInput(network: Network): Tensor {
  const [first] = network.parameters();
  return zeros([1, ...network.inputShape], {
    device: first?.device ?? 'cpu',
    dtype: first?.dtype ?? 'float32',
  });
}

function isCounted(layer: nn.Module): layer is nn.Layer & Counted {
  return 'multiplyAdds' in layer;
}
