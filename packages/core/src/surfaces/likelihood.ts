// The likelihoods that the paper's appendix compares (arXiv 2506.05721), over probabilities of any number of classes.
// Weights are w = 1 for a present class and λ for an absent one; on a negative instance every w is 1.

//
// γ focuses as in the losses: the truth's probability q counts as q^((1 - q)^γ), so that -log of 'bce' is the focal loss,
// -log of 'any-class' its any-class term, and -log of 'combined' J_any|focal.

import { absentWeight } from '../losses/anyClass.js';
import { softplus } from '../losses/logisticTerms.js';
import { checkGamma, checkShare } from '../losses/lossArguments.js';
import { binaryTerm, focalTerm } from '../losses/lossTerm.js';

export type LikelihoodQuantity =
  /** Π p^w */
  | 'product'
  /** Π p^(w / Σw) */
  | 'geometric-mean'
  /** Π p^w / (Π p^w + Π (1 - p)^w) */
  | 'normalized-product'
  /** G(p) / (G(p) + G(1 - p)), G the weighted geometric mean: the any-class probability p_a of the losses. */
  | 'normalized-geometric-mean'
  /** Π p^y (1 - p)^(1 - y), which binary cross-entropy maximizes. */
  | 'bce'
  /** p_a for a positive instance, 1 - p_a for a negative one. */
  | 'any-class'
  /** The same with the normalized product in place of p_a. */
  | 'any-class-product'
  /** 'bce' times 'any-class' to the power α. */
  | 'combined'
  /** 'bce' times 'any-class-product' to the power α. */
  | 'combined-product';

export interface LikelihoodOptions {
  /** Default 0.02. */
  readonly lambda?: number;
  /** Default 1. */
  readonly alpha?: number;
  /** The focusing exponent of 'bce', 'any-class', 'combined' and their product forms. Default 0. */
  readonly gamma?: number;
}

/**
 * Returns one of the likelihoods at a point.
 *
 * @example
 * likelihood('product', [0.9, 0.2], [1, 0], { lambda: 0.5 }) // 0.4024922359499622
 * likelihood('any-class', [0.9, 0.2], [1, 0], { lambda: 0.5 }) // 0.7315926860816613
 * likelihood('any-class', [0.1, 0.2], [0, 0]) // 0.8571428571428571
 */
export function likelihood(
  quantity: LikelihoodQuantity,
  probabilities: ArrayLike<number>,
  targets: ArrayLike<number>,
  options: LikelihoodOptions = {},
): number {
  const { anyTarget, sums, alpha, gamma } = pointSums(probabilities, targets, options);
  return Math.exp(logLikelihood(quantity, sums, anyTarget, alpha, gamma));
}

/** The sums over a point's classes, with the options and their defaults. */
export interface PointSums {
  readonly anyTarget: number;
  readonly absent: number;
  readonly alpha: number;
  readonly gamma: number;
  readonly sums: Readonly<ClassPart>;
}

export function pointSums(
  probabilities: ArrayLike<number>,
  targets: ArrayLike<number>,
  options: LikelihoodOptions,
): PointSums {
  const { lambda = 0.02, alpha = 1, gamma = 0 } = options;
  checkShare('lambda', lambda);
  checkShare('alpha', alpha);
  checkGamma(gamma);
  checkPoint(probabilities, targets);
  const anyTarget = Math.max(...Array.from(targets));
  const absent = absentWeight(anyTarget, lambda);
  const sums = { presence: 0, absence: 0, bce: 0, weight: 0 };
  for (let j = 0; j < probabilities.length; j++) {
    const part = classPart(probabilities[j]!, targets[j]!, absent, gamma);
    sums.presence += part.presence;
    sums.absence += part.absence;
    sums.bce += part.bce;
    sums.weight += part.weight;
  }
  return { anyTarget, absent, alpha, gamma, sums };
}

/** What one class contributes to the sums: w log p, w log(1 - p), the log of the truth's probability, and w itself. */
export interface ClassPart {
  presence: number;
  absence: number;
  bce: number;
  weight: number;
}

export function classPart(probability: number, target: number, absent: number, gamma: number): ClassPart {
  const weight = target + (1 - target) * absent;
  const logP = Math.log(probability);
  const logQ = Math.log1p(-probability);
  return {
    presence: times(weight, logP),
    absence: times(weight, logQ),
    bce: times(target * (1 - probability) ** gamma, logP) + times((1 - target) * probability ** gamma, logQ),
    weight,
  };
}

/** Returns the logarithm of a quantity from the sums over the classes. */
function logLikelihood(
  quantity: LikelihoodQuantity,
  sums: Readonly<ClassPart>,
  anyTarget: number,
  alpha: number,
  gamma: number,
): number {
  const productLogit = sums.presence - sums.absence;
  const meanLogit = productLogit / sums.weight;
  switch (quantity) {
    case 'product':
      return sums.presence;
    case 'geometric-mean':
      return sums.presence / sums.weight;
    case 'normalized-product':
      return -softplus(-productLogit);
    case 'normalized-geometric-mean':
      return -softplus(-meanLogit);
    case 'bce':
      return sums.bce;
    case 'any-class':
      return logOfTruth(meanLogit, anyTarget, gamma);
    case 'any-class-product':
      return logOfTruth(productLogit, anyTarget, gamma);
    case 'combined':
      return sums.bce + times(alpha, logOfTruth(meanLogit, anyTarget, gamma));
    case 'combined-product':
      return sums.bce + times(alpha, logOfTruth(productLogit, anyTarget, gamma));
  }
}

function logOfTruth(logit: number, anyTarget: number, gamma: number): number {
  binaryTerm(logit, anyTarget, focalTerm(gamma), termAndSlope);
  return -termAndSlope[0]!;
}

const termAndSlope = new Float64Array(2);

// 0 · log 0 is 0: a class without weight has no effect, whatever its probability.
function times(weight: number, logarithm: number): number {
  return weight === 0 ? 0 : weight * logarithm;
}

function checkPoint(probabilities: ArrayLike<number>, targets: ArrayLike<number>): void {
  if (probabilities.length !== targets.length || probabilities.length === 0) {
    throw new RangeError(
      `${probabilities.length} probabilities and ${targets.length} targets; expected the same number of each, one or more`,
    );
  }
  for (let j = 0; j < probabilities.length; j++) {
    checkProbability(`probabilities[${j}]`, probabilities[j]!);
    checkProbability(`targets[${j}]`, targets[j]!);
  }
}

function checkProbability(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) throw new RangeError(`${name} is ${value}; expected a number from 0 to 1`);
}
