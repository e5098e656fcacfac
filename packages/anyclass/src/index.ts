// anyclass: multi-label classifiers on data where most examples are negative.
//
// Nothing here loads libtorch before it is needed: `train`, `resume`, `evaluate` and `openPredictor` do when called.

import type { ConfigurationInput } from './configuration/schema.js';
import type { EvaluateOptions, Evaluation } from './evaluation/evaluate.js';
import type { Predictor, PredictorOptions } from './inference/predictor.js';
import type { TrainingResult, TrainOptions } from './training/activeRun.js';
import { lazyEngine } from './training/lazyEngine.js';

export { runDisplay } from './commandLine/display/runDisplay.js';
export * from './configuration/index.js';
export type { EvaluateOptions, Evaluation } from './evaluation/evaluate.js';
export { type EvaluateScoresOptions, evaluateScores } from './evaluation/evaluateScores.js';
export { fitOnValidation, type JudgeOptions, judge } from './evaluation/judge.js';
export type { Judgment } from './events/judgment.js';
export * from './experiments/index.js';
export { type ImageInput, imageInputs } from './inference/imageInputs.js';
export type { FailedPrediction, Prediction, Predictor, PredictorOptions } from './inference/predictor.js';
export { judgmentText, summaryText } from './reports/judgmentText.js';
export { writeRunReport } from './reports/runReport.js';
export * from './runs/index.js';
export {
  csvTable,
  latexTable,
  markdownTable,
  type Table,
  textTable,
} from './tables/index.js';
export type { TrainingResult, TrainOptions } from './training/activeRun.js';

/**
 * Trains as a configuration says, and judges the result.
 *
 * @example
 * const { folder, summary } = await train({ data: { dataset: 'digits' }, network: { name: 'tresnet-s', inputSize: 64 } });
 * summary?.test?.metrics.mAP
 */
export async function train(
  configuration: ConfigurationInput,
  options?: TrainOptions,
): Promise<TrainingResult> {
  return (await lazyEngine.training()).train(configuration, options);
}

/**
 * Goes on with a run from its newest whole checkpoint, as if it had never stopped.
 *
 * @example
 * await resume('runs/sewer');
 */
export async function resume(folder: string, options?: Omit<TrainOptions, 'run'>): Promise<TrainingResult> {
  return (await lazyEngine.training()).resume(folder, options);
}

/**
 * Judges a model (its file, or the folder of its run) on a split of a dataset.
 *
 * @example
 * const { judgment } = await evaluate('runs/digits', 'digits', { split: 'test' });
 * judgment.metrics.mAP
 */
export async function evaluate(
  model: string,
  dataset: string,
  options?: EvaluateOptions,
): Promise<Evaluation> {
  return (await lazyEngine.evaluation()).evaluate(model, dataset, options);
}

/**
 * Opens a model, or the folder of its run, for prediction.
 *
 * @example
 * using predictor = await openPredictor('runs/sewer');
 * for await (const prediction of predictor.predict(imageInputs(['photos']))) console.log(prediction);
 */
export async function openPredictor(model: string, options?: PredictorOptions): Promise<Predictor> {
  return (await lazyEngine.prediction()).openPredictor(model, options);
}
