export {
  type AnyClassLossOptions,
  anyClassLoss,
  anyClassSums,
  type LossBalance,
  type LossReduction,
  type LossSums,
} from './anyClassLoss.js';
export { type LossName, lossNames, type NamedLoss, namedLoss } from './lossNames.js';
