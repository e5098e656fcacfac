export * from './bootstrap/index.js';
export * from './calibration/index.js';
export * from './decisions/index.js';
export * from './guards/index.js';
export type { Key } from './labels/distinctKeys.js';
export {
  type InstancePresence,
  instancePresence,
  PRESENT_FROM,
  presenceOfRows,
  ROW_NEGATIVE,
  ROW_POSITIVE,
} from './labels/instancePresence.js';
export * from './losses/index.js';
export * from './metrics/index.js';
export * from './monitoring/index.js';
export { type ChoiceOptions, NumpyRandom } from './random/numpyRandom.js';
export * from './selection/index.js';
export {
  type GroupShuffleSplitOptions,
  type GroupSplit,
  groupShuffleSplit,
} from './splits/groupShuffleSplit.js';
export {
  classesTooRare,
  type IterativeSplitOptions,
  iterativeStratifiedSplit,
} from './splits/iterativeStratifiedSplit.js';
export { type ShuffleSplitOptions, shuffleSplit } from './splits/shuffleSplit.js';
export type { Split, SplitSizes } from './splits/splitSizes.js';
export type { SparseLabels } from './splits/splitUnits.js';
export { stratifiedShuffleSplit } from './splits/stratifiedShuffleSplit.js';
export { type ThreeWaySplit, threeWaySplit } from './splits/threeWaySplit.js';
export { type LikelihoodOptions, type LikelihoodQuantity, likelihood } from './surfaces/likelihood.js';
export { logLikelihoodGradient } from './surfaces/likelihoodGradient.js';
export {
  likelihoodSurface,
  likelihoodSurfaces,
  type Surface,
  type SurfaceGridOptions,
  type SurfaceKind,
  type SurfaceOptions,
} from './surfaces/likelihoodSurface.js';
export * from './thresholds/index.js';
