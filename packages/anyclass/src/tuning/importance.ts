// How strongly each searched field affects the metric: Spearman's rank correlation over all scored trials.

import type { BestMetric } from '../events/bestMetric.js';
import type { Trial } from './events.js';
import { bestScore } from './score.js';

/** With fewer trials, a correlation says nothing. */
const fewestTrials = 5;

/**
 * The rank correlation of a field with the score, from -1 (small values are best) to 1 (large values are
 * best); null if the field is not a number or does not vary, or if there are too few trials.
 *
 * @example
 * fieldImportance(state.trials, 'loss.lambda', 'mAP') // -0.72
 */
export function fieldImportance(trials: readonly Trial[], field: string, metric: BestMetric): number | null {
  const pairs = trials.flatMap((trial) => {
    const [value, score] = [trial.values[field], bestScore(trial, metric)];
    return typeof value === 'number' && score !== null ? [{ value, score }] : [];
  });
  if (pairs.length < fewestTrials) return null;
  return correlation(ranks(pairs.map(({ value }) => value)), ranks(pairs.map(({ score }) => score)));
}

/** Equal values share the mean of their ranks. */
function ranks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal - 1) / 2;
  });
}

function correlation(a: readonly number[], b: readonly number[]): number | null {
  const middle = (a.length - 1) / 2;
  let [product, squareA, squareB] = [0, 0, 0];
  for (const [i, rank] of a.entries()) {
    const [x, y] = [rank - middle, b[i]! - middle];
    product += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  return squareA === 0 || squareB === 0 ? null : product / Math.sqrt(squareA * squareB);
}
