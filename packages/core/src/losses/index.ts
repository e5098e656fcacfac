export type { FloatArray } from '../arrays/rowMajor.js';
export {
  type ClassBalance,
  type EffectiveNumberOptions,
  effectiveNumberWeights,
} from '../balance/effectiveNumberWeights.js';
export { anyClassLogit, anyClassProbability } from './anyClass.js';
export {
  type AnyClassLossOptions,
  anyClassLoss,
  type ReducedLoss,
  type UnreducedLoss,
} from './anyClassLoss.js';
export { logit, sigmoid, softplus } from './logisticTerms.js';
export { type LossOptions, type LossParts, lossParts } from './lossParts.js';
export { type LossRows, lossRows } from './lossRows.js';
export type { LossTerm } from './lossTerm.js';
export type { Reduction } from './reduction.js';
