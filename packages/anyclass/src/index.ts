// anyclass: multi-label classifiers on data where most examples are negative.
//
// This import loads next to nothing: a function's code is loaded by its first call, libtorch by the first
// tensor. Building blocks have their own paths: anyclass/configuration, anyclass/data, anyclass/networks,
// anyclass/explain, anyclass/losses, anyclass/runs, anyclass/experiments, anyclass/tuning, anyclass/reports, anyclass/verify.

export { runDisplay } from './commandLine/display/runDisplay.js';
export { defineConfig } from './configuration/defineConfig.js';
export type { ReadOptions } from './configuration/readFields.js';
export type { Configuration, ConfigurationInput } from './configuration/schema.js';
export { DataError } from './errors/dataError.js';
export { UsageError } from './errors/usageError.js';
export { type ErrorCode, UserError } from './errors/userError.js';
export type { EvaluateOptions, Evaluation } from './evaluation/evaluate.js';
export type { EvaluateScoresOptions } from './evaluation/evaluateScores.js';
export type { BestMetric } from './events/bestMetric.js';
export type { EpochRecord } from './events/epochRecord.js';
export type { Intervals, Judgment, ReliabilityMetrics } from './events/judgment.js';
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
export type {
  CompareOptions,
  CompareResult,
  ExperimentHooks,
  ExperimentOptions,
} from './experiments/compare.js';
export type { Comparison } from './experiments/comparisonResult.js';
export type { UnfinishedRun } from './experiments/results.js';
export type { SweepOptions, SweepResult } from './experiments/runSweep.js';
export type { Sweep } from './experiments/sweepResult.js';
export type { ExplainedTarget, ExplainOptions, Explanation } from './explain/explainer.js';
export type { HeatMap, HeatMapMethod, Target } from './explain/heatMap.js';
export type { Embedded, EmbedOptions } from './export/embedding/embedDataset.js';
export type { ForeignExport } from './export/foreignWeights.js';
export type {
  ExportNetworkOptions,
  ExportOnnxOptions,
  NetworkDescription,
  OnnxExport,
} from './export/onnx/exportOnnx.js';
export type { ExportWebOptions, WebExport } from './export/web/exportWeb.js';
export type { MonitoredLogs, MonitoredStream, MonitorLogsOptions } from './field/monitorLogs.js';
export type { Refit, RefitOptions } from './field/refit.js';
export * from './functions.js';
export type { ImageInput } from './inference/imageInput.js';
export type {
  FailedPrediction,
  NamedPrediction,
  Prediction,
  Predictor,
  PredictorOptions,
} from './inference/predictor.js';
export type { InspectOptions } from './inspect/inspectDataset.js';
export type { Inspection } from './inspect/inspection.js';
export type { Suggestion, SuggestionOptions } from './inspect/suggestConfiguration.js';
export type { RecommendOptions, RecommendResult } from './recommendation/recommend.js';
export type { Recommendation } from './recommendation/recommendation.js';
export type { ImportModelOptions } from './runs/importModel.js';
export type { RunScores } from './runs/runScores.js';
export type { ServeOptions } from './serving/operation/options.js';
export type { Server } from './serving/serve.js';
export type { TrainingResult, TrainOptions } from './training/activeRun.js';
export type { SoupOptions, SoupResult } from './training/soup.js';
export type { StudyResult } from './tuning/studyResult.js';
export type { TuneControl, TuneOptions } from './tuning/tune.js';
export type { RerunHooks, RerunOptions, RerunResult } from './workflows/paperRerun.js';
