// anyclass: multi-label classifiers on data where most examples are negative.
//
// What a user calls. libtorch is opened when the first tensor is needed, not by this import. Parts to build with have their own
// paths: anyclass/data, anyclass/networks, anyclass/losses, anyclass/runs, anyclass/experiments, anyclass/tuning,
// anyclass/reports, anyclass/verify.

export { runDisplay } from './commandLine/display/runDisplay.js';
export { type ReadOptions, readConfiguration } from './configuration/readConfiguration.js';
export { recipeNames } from './configuration/recipes.js';
export { type Configuration, type ConfigurationInput, defineConfig } from './configuration/schema.js';
export { validateConfiguration } from './configuration/validate.js';
export { DataError } from './errors/dataError.js';
export { UsageError } from './errors/usageError.js';
export { type ErrorCode, UserError } from './errors/userError.js';
export { type EvaluateOptions, type Evaluation, evaluate } from './evaluation/evaluate.js';
export { type EvaluateScoresOptions, evaluateScores } from './evaluation/evaluateScores.js';
export type { BestMetric } from './events/bestMetric.js';
export type { EpochRecord } from './events/epochRecord.js';
export type { Intervals, Judgment, ReliabilityFigures } from './events/judgment.js';
export type {
  ChildEvent,
  ChildState,
  FailedEvent,
  FinishedEvent,
  InterruptedEvent,
  NoteEvent,
  ProgressEvent,
  RunEvent,
  RunEventListener,
  SavedEvent,
  StartedEvent,
  StepEvent,
  ValidatedEvent,
} from './events/runEvent.js';
export type { Quarantined, RunSummary } from './events/runSummary.js';
export {
  type CompareOptions,
  type CompareResult,
  compare,
  type ExperimentHooks,
  type ExperimentOptions,
} from './experiments/compare.js';
export type { Comparison } from './experiments/comparison.js';
export type { UnfinishedRun } from './experiments/results.js';
export { type SweepOptions, type SweepResult, sweep } from './experiments/runSweep.js';
export type { Sweep } from './experiments/sweep.js';
export type { ExportedModel } from './export/foreignWeights.js';
export { exportTimm } from './export/timm.js';
export { exportTorchvision } from './export/torchvision.js';
export { type ImageInput, imageInputs } from './inference/imageInputs.js';
export {
  type FailedPrediction,
  type NamedPrediction,
  openPredictor,
  type Prediction,
  type Predictor,
  type PredictorOptions,
} from './inference/predictor.js';
export { type InspectOptions, inspectDataset } from './inspect/inspectDataset.js';
export type { Inspection } from './inspect/inspection.js';
export { type Suggestion, suggestConfiguration } from './inspect/suggestConfiguration.js';
export {
  type RerunHooks,
  type RerunOptions,
  type RerunResult,
  rerunPaper,
} from './reports/experiment/paperRerun.js';
export { resume, train } from './reports/trainAndReport.js';
export { type ImportModelOptions, importModel } from './runs/importModel.js';
export { type RunScores, runScores } from './runs/runScores.js';
export type { TrainingResult, TrainOptions } from './training/activeRun.js';
export type { StudyResult } from './tuning/studyResult.js';
export { type TuneControl, type TuneOptions, tune } from './tuning/tune.js';
