import { anyClassLoss, effectiveNumberWeights } from '@anyclass/core';
import { type Check, compare, worstOfCases } from './check.js';
import type { LossCase } from './vectorFile.js';

/** 1e-9·|expected| + 1e-12 */
const float64 = { relative: 1e-9, floor: 1e-3 };

/** Checks losses, gradients and weights computed by core in float64. */
export function verifyLosses(cases: readonly LossCase[]): Check[] {
  return worstOfCases(cases, checkCase);
}

function checkCase({ logits, targets, expected, ...given }: LossCase): Check[] {
  const { base, alpha, lambda, gamma, beta, classCounts } = given;
  const balance = effectiveNumberWeights(classCounts, given.negativeCount, { beta });
  const gradient = new Float64Array(logits.flat().length);
  const classes = classCounts.length;
  const { loss, rows } = anyClassLoss(Float64Array.from(logits.flat()), targets.flat(), {
    classes,
    base,
    alpha,
    lambda,
    gamma,
    balance,
    gradient,
  });
  return [
    compare('loss', [loss], expected.loss, float64),
    compare('gradient', gradient, expected.grad, float64),
    compare('class weights', balance.classWeights, expected.classWeights, float64),
    compare('negative weight', [balance.negativeWeight], expected.negativeWeight, float64),
    compare('standard loss of rows', rows.base, expected.baseRows, float64),
    compare('any-class term of rows', rows.anyClass, expected.anyRows, float64),
    compare('row weights', rows.weights, expected.rowWeights, float64),
  ];
}
