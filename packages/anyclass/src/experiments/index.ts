// Experiments: many runs from one configuration, and what they show together. From start to finish:
//   variants, sweepPlan, plan      turn the user's request into a list of runs
//   experiment, prepareCaches      run them all; handle interruption
//   runAll                         runs side by side (with children/)
//   runState                       which parts of a run exist
//   readRuns, seedGroups           finished runs, grouped by everything but the seed
//   comparison                     metrics (judgedGroup; at decisions decidedRun, tradeOff) and differences
//                                  (lossPairs, alignedModels, methodDifferences, confounds)
//   comparisonTables, verdict      the comparison as tables (differenceTable) and as a sentence (decisionText)
//   sweep, valueDifferences        a recommended value, if the choice matters
//   results                        result files and failures

export { type ComparisonOptions, compareRuns, type DecisionSettings } from './comparison.js';
export type {
  Comparison,
  ConfoundedPair,
  DecidedGroup,
  DecidedSpreads,
  GroupMetrics,
  HeldDifference,
  MethodDifference,
  MetricDifferences,
  MetricSpreads,
} from './comparisonResult.js';
export { comparisonTables } from './comparisonTables.js';
export { comparisonVerdict, judgmentVerdict } from './comparisonVerdict.js';
export type { DecisionChoice } from './decisionText.js';
export type { Spread } from './metrics.js';
export { type JudgedSplit, type Run, readRun, readRuns, type ScoredImages } from './readRuns.js';
export type { Recommendation, Sweep, SweepPoint, ValueDifference } from './sweepResult.js';
export type { TradeOffSpread } from './tradeOff.js';
