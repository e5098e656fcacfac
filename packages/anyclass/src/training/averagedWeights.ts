// An exponential moving average of the weights. Polyak and Juditsky, "Acceleration of Stochastic
// Approximation by Averaging", 1992; in the form of Tarvainen and Valpola, arXiv 1703.01780.

import { keep, noGrad } from '@anyclass/torch';
import { buildAlike } from '../networks/createNetwork.js';
import { moveNetwork } from '../networks/moveNetwork.js';
import type { Network } from '../networks/network.js';

export interface AveragedWeights {
  /** A network whose weights are the averages. */
  readonly network: Network;
  /** Adds the current weights to the average; can be captured in a CUDA graph. */
  update(): void;
}

/**
 * @example
 * const average = averageWeights(network, 0.999);
 * average.update(); // after each step: average = 0.999 average + 0.001 weights
 */
export function averageWeights(
  network: Network,
  decay: number,
  build = () => buildAlike(network),
): AveragedWeights {
  const averaged = build().eval().requireGrad(false);
  const [first] = network.parameters();
  if (first) moveNetwork(averaged, first.device);
  averaged.loadStateDict(network.stateDict());
  const own = averaged.stateDict();
  const pairs = Array.from(network.stateDict(), ([name, tensor]) => ({
    tensor,
    average: keep(own.get(name)!),
  }));
  return {
    network: averaged,
    update: () =>
      noGrad(() => {
        for (const { tensor, average } of pairs) {
          // Batch counters are integers, and are copied.
          if (average.dtype === 'int64') average.copy_(tensor);
          else average.lerp_(tensor, 1 - decay);
        }
      }),
  };
}
