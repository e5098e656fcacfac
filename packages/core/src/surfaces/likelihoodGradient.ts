import { logit, sigmoid } from '../losses/logisticTerms.js';
import { binaryTerm, focalTerm } from '../losses/lossTerm.js';
import { type LikelihoodOptions, type LikelihoodQuantity, type PointSums, pointSums } from './likelihood.js';

/**
 * Returns the gradient of a likelihood's logarithm, d log L / d p_j. Multiplied by the likelihood, it is the likelihood's
 * own gradient; multiplied by -1, that of the loss.
 *
 * All quantities except the plain products go through logits, whose slope is dz/dp = 1 / (p (1 - p)).
 *
 * @example
 * logLikelihoodGradient('bce', [0.8, 0.2], [1, 0]) // 1.25 and -1.25
 * logLikelihoodGradient('any-class', [0.8, 0.2], [1, 0], { lambda: 1 }) // 1.5625 and 1.5625
 */
export function logLikelihoodGradient(
  quantity: LikelihoodQuantity,
  probabilities: ArrayLike<number>,
  targets: ArrayLike<number>,
  options: LikelihoodOptions = {},
): Float64Array {
  const point = pointSums(probabilities, targets, options);
  return Float64Array.from(probabilities, (probability, j) => {
    if (!(probability > 0 && probability < 1)) {
      throw new RangeError(`probabilities[${j}] is ${probability}; a gradient needs one between 0 and 1`);
    }
    const target = targets[j]!;
    const weight = target + (1 - target) * point.absent;
    return slope(quantity, point, probability, target, weight);
  });
}

function slope(
  quantity: LikelihoodQuantity,
  { sums, anyTarget, alpha, gamma }: PointSums,
  probability: number,
  target: number,
  weight: number,
): number {
  const logitSlope = 1 / (probability * (1 - probability));
  const productLogit = sums.presence - sums.absence;
  const share = weight / sums.weight;
  const ofBce = () => logitSlope * truthSlope(logit(probability), target, gamma);
  const ofMean = () => share * logitSlope * truthSlope(productLogit / sums.weight, anyTarget, gamma);
  const ofProduct = () => weight * logitSlope * truthSlope(productLogit, anyTarget, gamma);
  switch (quantity) {
    case 'product':
      return weight / probability;
    case 'geometric-mean':
      return share / probability;
    case 'normalized-product':
      return weight * logitSlope * sigmoid(-productLogit);
    case 'normalized-geometric-mean':
      return share * logitSlope * sigmoid(-productLogit / sums.weight);
    case 'bce':
      return ofBce();
    case 'any-class':
      return ofMean();
    case 'any-class-product':
      return ofProduct();
    case 'combined':
      return ofBce() + alpha * ofMean();
    case 'combined-product':
      return ofBce() + alpha * ofProduct();
  }
}

function truthSlope(at: number, target: number, gamma: number): number {
  binaryTerm(at, target, focalTerm(gamma), termAndSlope);
  return -termAndSlope[1]!;
}

const termAndSlope = new Float64Array(2);
