// Surfaces of one grid. Every quantity is made of sums over the two classes, so it either falls apart into a row times
// a column, or is a logistic function of such a sum. The losses of the logistic ones are kept, since a likelihood, its
// loss and the combined ones share them.

import type { FloatArray } from '../arrays/rowMajor.js';
import { classPart, type LikelihoodQuantity } from './likelihood.js';
import {
  addTruthLosses,
  expOfMinus,
  outerProduct,
  outerSigmoid,
  outerSum,
  outerSumWith,
} from './surfaceLoops.js';

export interface SurfaceGrid {
  readonly first: SideTerms;
  readonly second: SideTerms;
  readonly anyTarget: number;
  readonly alpha: number;
  readonly gamma: number;
  readonly truthLosses: Map<string, Float64Array>;
}

/** What one class adds to the logarithms at each of its probabilities: the arrays of `ClassPart`. */
interface SideTerms {
  readonly presence: Float64Array;
  readonly bce: Float64Array;
  /** w log(p / (1 - p)) */
  readonly logit: Float64Array;
  readonly weight: number;
}

/** The probability that a logistic function of `scale` times the sum of logits gives to a target. */
interface Truth {
  readonly scale: number;
  readonly target: number;
  readonly gamma: number;
}

export function surfaceGrid(
  axis: Float64Array,
  targets: readonly [number, number],
  absent: number,
  rest: Pick<SurfaceGrid, 'anyTarget' | 'alpha' | 'gamma'>,
): SurfaceGrid {
  const [first, second] = targets.map((target) => sideTerms(axis, target, absent, rest.gamma));
  return { ...rest, first: first!, second: second!, truthLosses: new Map() };
}

/** Fills an array with one quantity, or with -log of it. */
export function fillSurface(
  grid: SurfaceGrid,
  quantity: LikelihoodQuantity,
  negativeLog: boolean,
  values: FloatArray,
): void {
  const { anyTarget, gamma } = grid;
  const mean = 1 / (grid.first.weight + grid.second.weight);
  switch (quantity) {
    case 'product':
      fillSeparable(grid, 'presence', 1, negativeLog, values);
      break;
    case 'geometric-mean':
      fillSeparable(grid, 'presence', mean, negativeLog, values);
      break;
    case 'normalised-product':
      fillTruth(grid, { scale: 1, target: 1, gamma: 0 }, negativeLog, values);
      break;
    case 'normalised-geometric-mean':
      fillTruth(grid, { scale: mean, target: 1, gamma: 0 }, negativeLog, values);
      break;
    case 'bce':
      fillSeparable(grid, 'bce', 1, negativeLog, values);
      break;
    case 'any-class':
      fillTruth(grid, { scale: mean, target: anyTarget, gamma }, negativeLog, values);
      break;
    case 'any-class-product':
      fillTruth(grid, { scale: 1, target: anyTarget, gamma }, negativeLog, values);
      break;
    case 'combined':
      fillCombined(grid, { scale: mean, target: anyTarget, gamma }, negativeLog, values);
      break;
    case 'combined-product':
      fillCombined(grid, { scale: 1, target: anyTarget, gamma }, negativeLog, values);
      break;
  }
}

function sideTerms(axis: Float64Array, target: number, absent: number, gamma: number): SideTerms {
  const parts = Array.from(axis, (probability) => classPart(probability, target, absent, gamma));
  return {
    presence: Float64Array.from(parts, ({ presence }) => presence),
    bce: Float64Array.from(parts, ({ bce }) => bce),
    logit: Float64Array.from(parts, ({ presence, absence }) => presence - absence),
    weight: parts[0]!.weight,
  };
}

function fillSeparable(
  { first, second }: SurfaceGrid,
  name: 'presence' | 'bce',
  scale: number,
  negativeLog: boolean,
  values: FloatArray,
): void {
  if (negativeLog) outerSum(values, scaled(first[name], -scale), scaled(second[name], -scale));
  else
    outerProduct(values, scaled(first[name], scale).map(Math.exp), scaled(second[name], scale).map(Math.exp));
}

function fillTruth(grid: SurfaceGrid, truth: Truth, negativeLog: boolean, values: FloatArray): void {
  const { scale, target, gamma } = truth;
  if (!negativeLog && gamma === 0 && (target === 0 || target === 1)) {
    const sign = target === 1 ? -scale : scale;
    const oddsAgainst = (side: SideTerms) => scaled(side.logit, sign).map(Math.exp);
    outerSigmoid(values, oddsAgainst(grid.first), oddsAgainst(grid.second));
  } else if (negativeLog) {
    values.set(truthLosses(grid, truth));
  } else {
    expOfMinus(truthLosses(grid, truth), values);
  }
}

function fillCombined(grid: SurfaceGrid, truth: Truth, negativeLog: boolean, values: FloatArray): void {
  const { alpha, first, second } = grid;
  if (alpha === 0) {
    fillSeparable(grid, 'bce', 1, negativeLog, values);
    return;
  }
  const [a, b] = [scaled(first.bce, -1), scaled(second.bce, -1)];
  const any = truthLosses(grid, truth);
  if (negativeLog) {
    outerSumWith(values, a, b, any, alpha);
  } else {
    const losses = new Float64Array(values.length);
    outerSumWith(losses, a, b, any, alpha);
    expOfMinus(losses, values);
  }
}

function truthLosses(grid: SurfaceGrid, { scale, target, gamma }: Truth): Float64Array {
  const { first, second } = grid;
  const key = `${scale} ${target} ${gamma}`;
  let losses = grid.truthLosses.get(key);
  if (losses === undefined) {
    losses = new Float64Array(first.logit.length * second.logit.length);
    for (const [share, sign] of [
      [target, scale],
      [1 - target, -scale],
    ] as const) {
      if (share > 0)
        addTruthLosses(losses, scaled(first.logit, sign), scaled(second.logit, sign), share, gamma);
    }
    grid.truthLosses.set(key, losses);
  }
  return losses;
}

// 0 · -log 0 does not occur: a class without weight has terms of 0.
function scaled(terms: Float64Array, scale: number): Float64Array {
  return terms.map((term) => scale * term);
}
