// Experiments: many runs from one configuration, and what they tell together. From the beginning to the end:
//   variants, sweepPlan, plan      what a user asks for, as a list of runs
//   experiment, prepareCaches      the way of all of them, with Ctrl-C in between
//   runAll                         side by side (with children/)
//   runState                       what is there of a run
//   readRuns, seedGroups           finished runs, and those that differ in their seed alone
//   comparison                     their figures (judgedGroup; at decisions decidedRun, tradeOff) and differences (lossPairs,
//                                  alignedModels, methodDifferences, confounds)
//   comparisonTables, verdict      as tables (differenceTable), and in a sentence (decisionText)
//   sweep, valueDifferences        as a recommended value, if the choice matters
//   results                        files of it, and what went wrong

export {
  type Comparison,
  type ComparisonOptions,
  compareRuns,
  type DecidedFigures,
  type DecidedSpreads,
  type DecisionSettings,
  type FigureDifferences,
  type FigureSpreads,
  type GroupFigures,
  type HeldDifference,
  type MethodDifference,
} from './comparison.js';
export { comparisonTables } from './comparisonTables.js';
export type { ConfoundedPair } from './confounds.js';
export type { DecisionChoice } from './decisionText.js';
export type { Spread } from './figures.js';
export { type JudgedSplit, type Run, readRun, readRuns, type ScoredImages } from './readRuns.js';
export type { Recommendation, Sweep, SweepPoint } from './sweep.js';
export type { TradeOffSpread } from './tradeOff.js';
export type { ValueDifference } from './valueDifferences.js';
export { comparisonVerdict, judgmentVerdict } from './verdict.js';
