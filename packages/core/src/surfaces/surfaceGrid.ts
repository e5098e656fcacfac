// Surfaces on one grid, row by row. Every quantity is built from sums over the two classes, so it either separates into a
// row times a column, or is a logistic function of such a sum. A row of the logistic ones is computed once, into memory
// that stays in the processor's cache, for all surfaces that use it: a likelihood, its loss, and the combined ones.

import type { FloatArray } from '../arrays/rowMajor.js';
import { classPart, type LikelihoodQuantity } from './likelihood.js';
import { copyRow, expRow, productRow, sumRow, weightedRow, weightedSumRow } from './surfaceLoops.js';
import { type TruthRows, truthRows } from './truthRows.js';

export interface SurfaceGrid {
  readonly first: SideTerms;
  readonly second: SideTerms;
  readonly anyTarget: number;
  readonly alpha: number;
  readonly gamma: number;
  /** The logistic rows that the surfaces use; they must be filled for a row before the surfaces are. */
  readonly truths: TruthRows[];
}

/** What one class contributes at each of its probabilities: `ClassPart` as arrays. */
interface SideTerms {
  readonly presence: Float64Array;
  readonly bce: Float64Array;
  /** w log(p / (1 - p)) */
  readonly logit: Float64Array;
  readonly weight: number;
}

export function surfaceGrid(
  axis: Float64Array,
  targets: readonly [number, number],
  absent: number,
  rest: Pick<SurfaceGrid, 'anyTarget' | 'alpha' | 'gamma'>,
): SurfaceGrid {
  const [first, second] = targets.map((target) => sideTerms(axis, target, absent, rest.gamma));
  return { ...rest, first: first!, second: second!, truths: [] };
}

/** Returns a function that fills a row of `values` with one quantity, or with -log of it. */
export function surfaceRows(
  grid: SurfaceGrid,
  quantity: LikelihoodQuantity,
  negativeLog: boolean,
  values: FloatArray,
): (row: number) => void {
  const { anyTarget, gamma } = grid;
  const mean = 1 / (grid.first.weight + grid.second.weight);
  const ofTruth = (truth: TruthRows) => truthSurface(truth, negativeLog, values);
  switch (quantity) {
    case 'product':
      return separableSurface(grid, 'presence', 1, negativeLog, values);
    case 'geometric-mean':
      return separableSurface(grid, 'presence', mean, negativeLog, values);
    case 'normalized-product':
      return ofTruth(truthOf(grid, 1, 1, 0));
    case 'normalized-geometric-mean':
      return ofTruth(truthOf(grid, mean, 1, 0));
    case 'bce':
      return separableSurface(grid, 'bce', 1, negativeLog, values);
    case 'any-class':
      return ofTruth(truthOf(grid, mean, anyTarget, gamma));
    case 'any-class-product':
      return ofTruth(truthOf(grid, 1, anyTarget, gamma));
    case 'combined':
      return combinedSurface(grid, mean, negativeLog, values);
    case 'combined-product':
      return combinedSurface(grid, 1, negativeLog, values);
  }
}

function sideTerms(axis: Float64Array, target: number, absent: number, gamma: number): SideTerms {
  const [presence, bce, logit] = [axis.slice(), axis.slice(), axis.slice()];
  let weight = 0;
  for (let k = 0; k < axis.length; k++) {
    const part = classPart(axis[k]!, target, absent, gamma);
    presence[k] = part.presence;
    bce[k] = part.bce;
    logit[k] = part.presence - part.absence;
    weight = part.weight;
  }
  return { presence, bce, logit, weight };
}

/** Returns the grid's existing logistic rows, or new ones. */
function truthOf(grid: SurfaceGrid, scale: number, target: number, gamma: number): TruthRows {
  const isSame = (truth: TruthRows) =>
    truth.scale === scale && truth.target === target && truth.gamma === gamma;
  const found = grid.truths.find(isSame);
  if (found !== undefined) return found;
  const added = truthRows(grid.first.logit, grid.second.logit, scale, target, gamma);
  grid.truths.push(added);
  return added;
}

function separableSurface(
  { first, second }: SurfaceGrid,
  name: 'presence' | 'bce',
  scale: number,
  negativeLog: boolean,
  values: FloatArray,
): (row: number) => void {
  const term = negativeLog ? (log: number) => -scale * log : (log: number) => Math.exp(scale * log);
  const [a, b] = [first[name].map(term), second[name].map(term)];
  const fill = negativeLog ? sumRow : productRow;
  return (row) => fill(values, row * a.length, a, b[row]!);
}

function truthSurface(truth: TruthRows, negativeLog: boolean, values: FloatArray): (row: number) => void {
  const from = negativeLog ? truth.losses() : truth.likelihoods();
  return (row) => copyRow(values, row * from.length, from);
}

function combinedSurface(
  grid: SurfaceGrid,
  scale: number,
  negativeLog: boolean,
  values: FloatArray,
): (row: number) => void {
  const { alpha } = grid;
  if (alpha === 0) return separableSurface(grid, 'bce', 1, negativeLog, values);
  const truth = truthOf(grid, scale, grid.anyTarget, grid.gamma);
  const term = negativeLog ? (log: number) => -log : Math.exp;
  const [a, b] = [grid.first.bce.map(term), grid.second.bce.map(term)];
  if (negativeLog) {
    const losses = truth.losses();
    return (row) => weightedSumRow(values, row * a.length, a, b[row]!, losses, alpha);
  }
  if (alpha === 1) {
    const likelihoods = truth.likelihoods();
    return (row) => weightedRow(values, row * a.length, a, b[row]!, likelihoods);
  }
  const losses = truth.losses();
  const powers = new Float64Array(a.length);
  return (row) => {
    expRow(powers, losses, -alpha);
    weightedRow(values, row * a.length, a, b[row]!, powers);
  };
}
