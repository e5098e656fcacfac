// How exactly a network is computed: its logits compared with libtorch's in float64.

import { nn, noGrad, randn, setSeed, type Tensor, tidy } from '@anyclass/torch';
import type { Network } from 'anyclass/networks';

/** Gives every weight and statistic a value that has an effect: in a fresh network, heads and last norms are zero. */
export function varied(network: Network): Network {
  setSeed(1);
  noGrad(() => {
    for (const parameter of network.parameters()) {
      if (parameter.ndim === 1) parameter.add_(randn([parameter.numel]).mul(0.1));
      else if (parameter.abs().amax().toNumber() === 0) nn.init.normal_(parameter, 0, 0.02);
    }
    for (const [name, buffer] of network.namedBuffers()) {
      if (name.endsWith('running_mean')) buffer.copy_(randn([buffer.numel]).mul(0.1));
      if (name.endsWith('running_var')) buffer.copy_(randn([buffer.numel]).mul(0.2).exp());
    }
  });
  return network.eval();
}

/** The logits of a batch, computed in float64. */
export function inFloat64(network: Network, images: Tensor): Float64Array {
  network.to('float64');
  const logits = noGrad(() => tidy(() => network.forward(images.to('float64')).toTypedArray()));
  network.to('float32');
  return Float64Array.from(logits, Number);
}

/** The largest error of the logits, which may cover only the first rows. */
export function errorOf(values: ArrayLike<unknown>, exact: Float64Array): number {
  return Array.from(values).reduce(
    (error: number, value, i) => Math.max(error, Math.abs(Number(value) - exact[i]!)),
    0,
  );
}
