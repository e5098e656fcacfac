export { type Bootstrap, bootstrap, bootstrapAt, type Interval } from './bootstrap.js';
export { budgetForCosts, type CostBudget, type Costs } from './budgetForCosts.js';
export {
  type DecisionBootstrap,
  type DecisionBootstrapOptions,
  type DecisionMetric,
  decisionBootstrap,
} from './decisionBootstrap.js';
export { bootstrapDecisions, type DecidedModel, type DecisionDrawOptions } from './decisionReplicates.js';
export type { Difference } from './difference.js';
export type { ClassMetric, OverallMetric } from './metricNames.js';
export {
  type PairedBootstrap,
  type PairedBootstrapOptions,
  pairedBootstrap,
} from './pairedBootstrap.js';
export {
  type PairedSeedBootstrap,
  type PairedSeedOptions,
  pairedSeedBootstrap,
  type ThresholdedModel,
} from './pairedSeedBootstrap.js';
export { eachMetric, type PaperMetric, type PaperMetrics, paperMetricNames } from './paperMetrics.js';
export type { BootstrapOptions } from './replicates.js';
export {
  bootstrapSeeds,
  type JudgedModel,
  joinSeeds,
  type SeedBootstrapOptions,
  type SeedReplicates,
  seedDifference,
} from './seedBootstrap.js';
