export { anyClassLoss, anyClassSums, type LossSums } from './anyClassLoss.js';
export { type LossName, lossNames, type NamedLoss, namedLoss } from './lossNames.js';
export type { AnyClassLossOptions, LossBalance, LossReduction } from './lossOptions.js';
