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
  type Reduction,
  type UnreducedLoss,
} from './anyClassLoss.js';
export { logit, sigmoid, softplus } from './logisticTerms.js';
export { type LossRows, lossRows } from './lossRows.js';
