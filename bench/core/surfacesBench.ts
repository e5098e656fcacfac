import { type LikelihoodQuantity, likelihoodSurfaces, type SurfaceKind } from '@anyclass/core';
import { runPeer } from './peer.js';
import { type Comparison, inTurns, secondsOf } from './timing.js';

const means: LikelihoodQuantity[] = [
  'product',
  'geometric-mean',
  'normalized-product',
  'normalized-geometric-mean',
];
const likelihoods: LikelihoodQuantity[] = ['bce', 'any-class', 'any-class-product', 'combined'];
const kinds: SurfaceKind[] = [
  ...[...means, ...likelihoods].map((quantity) => ({ quantity })),
  ...likelihoods.map((quantity) => ({ quantity, negativeLog: true })),
];

/** The playground's twelve surfaces of 200x200 in float32, against numpy. */
export function surfacesBench(gamma: number): Comparison {
  const [steps, lambda, alpha] = [200, 0.02, 1];
  const values = kinds.map(() => new Float32Array(steps * steps));
  const options = { targets: [1, 0], lambda, alpha, gamma, steps } as const;
  return inTurns(
    3,
    () => secondsOf(() => likelihoodSurfaces(kinds, options, values), 60, 30),
    () => {
      const { seconds, value } = runPeer('surfaces_peer.py', steps, lambda, alpha, gamma, 20);
      const ours = values.reduce((sum, surface) => surface.reduce((total, one) => total + one, sum), 0);
      if (Math.abs(ours - value) > 1e-6 * value)
        throw new Error(`our surfaces sum to ${ours}, numpy's to ${value}`);
      return seconds;
    },
  );
}
