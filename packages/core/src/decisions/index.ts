export type { DecisionRule } from '../metrics/decisionCutoffs.js';
export { presenceProbability, presenceScores } from '../metrics/presence.js';
export { presenceAuc } from '../metrics/presenceAuc.js';
export { applyDecision, type Decided } from './applyDecision.js';
export { falseAlarmUpperBound, quietRank, smallestPromise } from './binomialBounds.js';
export { type CrossFitOptions, crossFit } from './crossFit.js';
export type {
  Decision,
  DecisionBudget,
  DecisionReport,
  FalseAlarmBudget,
  Guarantee,
  NegativeF1Budget,
  NoGuarantee,
} from './decision.js';
export {
  checkDecisionOptions,
  DEFAULT_KAPPA,
  decisionFitter,
  type FitDecisionOptions,
  fitDecision,
} from './fitDecision.js';
export { describeFalseAlarms } from './remarks.js';
export { type JudgedPoint, judgedCurve, type TradeOffPoint, tradeOffCurve } from './tradeOffCurve.js';
