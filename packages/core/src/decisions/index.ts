export type { DecisionRule } from '../metrics/decisionCutoffs.js';
export { presenceProbability, presenceScores } from '../metrics/presence.js';
export { presenceAuc } from '../metrics/presenceAuc.js';
export {
  type ApplyDecisionOptions,
  applyDecision,
  type Decided,
  type DecidedGroup,
  decideGroups,
} from './applyDecision.js';
export { falseAlarmUpperBound, instancesNeeded, quietRank, smallestPromise } from './binomialBounds.js';
export { promiseUnit } from './budget.js';
export { type CrossFitOptions, type CrossFitted, crossFit } from './crossFit.js';
export type {
  Decision,
  DecisionBudget,
  DecisionReport,
  FalseAlarmBudget,
  NegativeF1Budget,
  TriageReport,
} from './decision.js';
export {
  type DecisionExplorer,
  decisionExplorer,
  type Explored,
} from './decisionExplorer.js';
export {
  describeBothPromises,
  describeFalseAlarms,
  describeGuarantee,
  describeLimits,
  describeMoreLabels,
  describePromises,
  inPercent,
  type LabeledKind,
  percentNeeded,
} from './describe.js';
export {
  checkDecisionOptions,
  DEFAULT_KAPPA,
  decisionFitter,
  type FitDecisionOptions,
  fitDecision,
  fitMeasuredDecision,
} from './fitDecision.js';
export type {
  Candidates,
  GivenGuarantee,
  Guarantee,
  NoGuarantee,
  NoGuaranteeReason,
  PromiseUnit,
} from './guarantee.js';
export { type JudgedPoint, judgedCurve } from './judgedCurve.js';
export {
  type MoreLabels,
  moreLabels,
  type Promisable,
  type PromisableOptions,
  promisable,
  type RateInterval,
  rateInterval,
} from './promisable.js';
export { type RowIdentities, type SharedRows, sharedRows } from './sharedRows.js';
export { type CountedOutcomes, countOutcomes, type WorkloadOptions, workload } from './workload.js';
