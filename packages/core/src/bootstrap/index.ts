export { type Bootstrap, bootstrap, bootstrapAt, type Interval } from './bootstrap.js';
export { budgetForCosts, type CostBudget, type Costs } from './budgetForCosts.js';
export {
  type DecisionBootstrap,
  type DecisionBootstrapOptions,
  type DecisionFigure,
  decisionBootstrap,
} from './decisionBootstrap.js';
export { bootstrapDecisions, type DecidedModel, type DecisionDrawOptions } from './decisionReplicates.js';
export type { Difference } from './difference.js';
export type { ClassFigure, OverallFigure } from './figures.js';
export {
  type PairedBootstrap,
  type PairedBootstrapOptions,
  pairedBootstrap,
} from './pairedBootstrap.js';
export { eachFigure, type PaperFigure, type PaperFigures, paperFigureNames } from './paperFigures.js';
export type { BootstrapOptions } from './replicates.js';
export {
  bootstrapSeeds,
  type JudgedModel,
  joinSeeds,
  type SeedBootstrapOptions,
  type SeedReplicates,
  seedDifference,
} from './seedBootstrap.js';
