// Densities from few observations between 0 and 1: the two models of a tree-structured Parzen estimator.

import type { NumpyRandom } from '@anyclass/core';

/** The prior counts as this many observations. */
const priorWeight = 1;

/** A density that can be sampled and evaluated. */
export interface Parzen {
  draw(random: NumpyRandom): number;
  /** The probability of an interval, or the density if both ends are the same point. */
  likelihood(from: number, to: number): number;
}

interface Kernel {
  readonly center: number;
  readonly deviation: number;
  readonly weight: number;
  /** The Gaussian's mass between 0 and 1. */
  readonly inside: number;
}

/**
 * A mixture of Gaussians truncated at 0 and 1: one at each observation, and a broad one in the middle as the
 * prior. Each is as wide as the larger of the distances to its neighbors, within bounds (Bergstra et al.
 * 2011, section 4.2; the lower bound, 1/n but at least one hundredth of the scale, is hyperopt's).
 *
 * @example
 * parzen([0.2, 0.25, 0.3]).likelihood(0.25, 0.25) > parzen([]).likelihood(0.25, 0.25) // true
 */
export function parzen(observations: readonly number[]): Parzen {
  const prior = 0.5;
  const centers = [...observations, prior].sort((a, b) => a - b);
  const priorIndex = centers.indexOf(prior);
  const narrowest = 1 / Math.min(100, centers.length + 1);
  const total = observations.length + priorWeight;
  const kernels = centers.map((center, i): Kernel => {
    const left = center - (centers[i - 1] ?? center);
    const right = (centers[i + 1] ?? center) - center;
    const isPrior = i === priorIndex;
    const deviation = isPrior ? 1 : Math.min(1, Math.max(narrowest, left, right));
    return {
      center,
      deviation,
      weight: (isPrior ? priorWeight : 1) / total,
      inside: normalCdf((1 - center) / deviation) - normalCdf(-center / deviation),
    };
  });
  const probabilities = kernels.map(({ weight }) => weight);
  return {
    draw(random) {
      const [chosen = 0] = random.choice(kernels.length, 1, { probabilities });
      const kernel = kernels[chosen]!;
      for (;;) {
        const place = kernel.center + kernel.deviation * gaussian(random);
        if (place >= 0 && place <= 1) return place;
      }
    },
    likelihood(from, to) {
      let sum = 0;
      for (const { center, deviation, weight, inside } of kernels) {
        const [a, b] = [(from - center) / deviation, (to - center) / deviation];
        const mass = from === to ? normalDensity(a) / deviation : normalCdf(b) - normalCdf(a);
        sum += (weight * mass) / inside;
      }
      return sum;
    },
  };
}

/**
 * The probabilities of choices from how often each was observed, with the prior spread evenly.
 *
 * @example
 * choiceProbabilities([3, 0]) // [0.875, 0.125]
 */
export function choiceProbabilities(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, priorWeight);
  return counts.map((count) => (count + priorWeight / counts.length) / total);
}

/** Box–Muller transform. */
function gaussian(random: NumpyRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.random())) * Math.cos(2 * Math.PI * random.random());
}

function normalDensity(x: number): number {
  return Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}

/**
 * Abramowitz and Stegun, "Handbook of Mathematical Functions", 7.1.26 for the error function: off by at most
 * 1.5e-7.
 */
function normalCdf(x: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * z);
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const upper = 1 - 0.5 * series * Math.exp(-z * z);
  return x < 0 ? 1 - upper : upper;
}
