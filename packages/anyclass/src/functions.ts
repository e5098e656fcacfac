// The public functions. Each is loaded by its first call, so importing the package costs next to nothing.

import type { nn } from '@anyclass/torch';
import type { Settings } from './configuration/overrides.js';
import type { ReadOptions } from './configuration/readFields.js';
import type { Configuration, ConfigurationInput } from './configuration/schema.js';
import type { Dataset, SplitName } from './data/dataset/dataset.js';
import type { EvaluateOptions, Evaluation } from './evaluation/evaluate.js';
import type { EvaluateScoresOptions } from './evaluation/evaluateScores.js';
import type { Judgment } from './events/judgment.js';
import type { CompareOptions, CompareResult, ExperimentHooks } from './experiments/compare.js';
import type { SweepOptions, SweepResult } from './experiments/runSweep.js';
import type { ExplainOptions, Explanation } from './explain/explainer.js';
import type { Embedded, EmbedOptions } from './export/embedding/embedDataset.js';
import type { ForeignExport } from './export/foreignWeights.js';
import type { ExportNetworkOptions, ExportOnnxOptions, OnnxExport } from './export/onnx/exportOnnx.js';
import type { ExportWebOptions, WebExport } from './export/web/exportWeb.js';
import type { MonitoredLogs, MonitorLogsOptions } from './field/monitorLogs.js';
import type { Refit, RefitOptions } from './field/refit.js';
import type { ImageInput } from './inference/imageInput.js';
import type { FailedPrediction, Predictor, PredictorOptions } from './inference/predictor.js';
import type { InspectOptions } from './inspect/inspectDataset.js';
import type { Inspection } from './inspect/inspection.js';
import type { Suggestion, SuggestionOptions } from './inspect/suggestConfiguration.js';
import type { WeightReport } from './networks/weights/loadWeights.js';
import type { RecommendOptions, RecommendResult } from './recommendation/recommend.js';
import type { ImportModelOptions } from './runs/importModel.js';
import type { RunScores } from './runs/runScores.js';
import type { ServeOptions } from './serving/operation/options.js';
import type { Server } from './serving/serve.js';
import type { TrainingResult, TrainOptions } from './training/activeRun.js';
import type { SoupOptions, SoupResult } from './training/soup.js';
import type { StudyResult } from './tuning/studyResult.js';
import type { TuneControl, TuneOptions } from './tuning/tune.js';
import type { RerunHooks, RerunOptions, RerunResult } from './workflows/paperRerun.js';

/**
 * Reads a configuration from a recipe, by name, or from a `.json`, `.jsonc`, `.mjs` or `.ts` file.
 *
 * @example
 * const configuration = await readConfiguration('quick', { set: { epochs: 2 } });
 */
export async function readConfiguration(source: string, options: ReadOptions = {}): Promise<Configuration> {
  return (await import('./training/readConfiguration.js')).readConfiguration(source, options);
}

/**
 * Inspects a dataset before training: what is in it, and what is wrong with it.
 *
 * @example
 * const { lambda } = await inspectDataset('digits', { limit: 500 });
 */
export async function inspectDataset(
  data: string | Dataset,
  options: InspectOptions = {},
): Promise<Inspection> {
  return (await import('./inspect/inspectDataset.js')).inspectDataset(data, options);
}

/**
 * Inspects a dataset and suggests a configuration for it; fields in `set`, by their dotted names, stay as they are.
 *
 * @example
 * const { configuration } = await suggestConfiguration('digits');
 */
export async function suggestConfiguration(
  spec: string,
  set: Settings = {},
  options: SuggestionOptions = {},
): Promise<Suggestion> {
  return (await import('./inspect/suggestConfiguration.js')).suggestConfiguration(spec, set, options);
}

/**
 * Trains with a configuration, evaluates the result and writes a report.
 *
 * @example
 * const { folder, summary } = await train({ data: { dataset: 'digits' }, network: { name: 'tresnet-s', inputSize: 64 } });
 * summary?.test?.metrics.mAP
 */
export async function train(
  configuration: ConfigurationInput,
  options: TrainOptions = {},
): Promise<TrainingResult> {
  return (await import('./workflows/trainAndReport.js')).trainAndReport(configuration, options);
}

/**
 * Resumes a run from its newest usable checkpoint, as if it had never stopped. Leaves a finished run alone.
 *
 * @example
 * await resume('runs/sewer');
 */
export async function resume(
  folder: string,
  options: Omit<TrainOptions, 'run'> = {},
): Promise<TrainingResult> {
  return (await import('./workflows/trainAndReport.js')).resumeAndReport(folder, options);
}

/**
 * Averages the weights of several runs where that improves validation, and evaluates the result; it is a run like any other.
 *
 * @example
 * const { kept, summary } = await soup(['runs/a', 'runs/b', 'runs/c'], { out: 'runs/soup' });
 */
export async function soup(runs: readonly string[], options: SoupOptions): Promise<SoupResult> {
  return (await import('./workflows/trainAndReport.js')).soupAndReport(runs, options);
}

/**
 * Evaluates a model (its file, an exported one, or its run folder) on a split of a dataset, at 0.5 and at the
 * model's own decision, unless that was fitted on the same split.
 *
 * @example
 * const { judgment } = await evaluate('runs/digits', 'digits', { split: 'test' });
 */
export async function evaluate(
  model: string,
  spec: string,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  return (await import('./evaluation/evaluate.js')).evaluate(model, spec, options);
}

/**
 * Evaluates scores from any program, matched to their labels by file name. Needs no engine.
 *
 * @example
 * const { metrics } = await evaluateScores({ scores: 'scores.csv', labels: 'labels.csv' });
 */
export async function evaluateScores(options: EvaluateScoresOptions): Promise<Judgment> {
  return (await import('./evaluation/evaluateScores.js')).evaluateScores(options);
}

/**
 * Reads the probabilities and labels of a finished run on its validation or test split.
 *
 * @example
 * const test = await runScores('runs/sewer', 'test');
 */
export async function runScores(run: string, split: Exclude<SplitName, 'train'>): Promise<RunScores> {
  return (await import('./runs/runScores.js')).runScores(run, split);
}

/**
 * Opens a model for prediction: a run folder, its model.safetensors, or an exported .onnx.
 *
 * @example
 * using predictor = await openPredictor('runs/sewer');
 * (await predictor.predictOne('photos/pipe-12.jpg')).labels // ['crack']
 */
export async function openPredictor(model: string, options: PredictorOptions = {}): Promise<Predictor> {
  return (await import('./inference/predictor.js')).openPredictor(model, options);
}

/**
 * Yields the images behind paths: files, folders, patterns, Parquet files, or `-` to list them on stdin.
 *
 * @param signal stops the wait for a list on standard input when aborted
 *
 * @example
 * for await (const { name } of imageInputs(['photos', 'more/*.jpg'])) console.log(name);
 */
export async function* imageInputs(
  paths: Iterable<string> | AsyncIterable<string>,
  list?: NodeJS.ReadableStream,
  signal?: AbortSignal,
): AsyncGenerator<ImageInput> {
  yield* (await import('./inference/imageInputs.js')).imageInputs(paths, list, signal);
}

/**
 * Explains what a model sees in images: a heat map for presence and each predicted class, or for the targets that are named.
 *
 * @example
 * for await (const explanation of explain('runs/sewer', ['pipe-12.jpg'])) console.log(explanation);
 */
export async function* explain(
  model: string,
  images: Iterable<string> | AsyncIterable<string>,
  options: ExplainOptions = {},
): AsyncGenerator<Explanation | FailedPrediction> {
  using explainer = await (await import('./explain/explainer.js')).openExplainer(model, options);
  yield* explainer.explain(imageInputs(images));
}

/**
 * Makes a model file from a PyTorch or safetensors checkpoint.
 *
 * @example
 * const { unused } = await importModel('best.ckpt', { network: 'tresnet-l', classes: ['crack'], out: 'model.safetensors' });
 */
export async function importModel(checkpoint: string, options: ImportModelOptions): Promise<WeightReport> {
  return (await import('./runs/importModel.js')).importModel(checkpoint, options);
}

/**
 * Trains all unfinished combinations of losses, networks, datasets and seeds, and compares them.
 *
 * @example
 * const { comparison } = await compare({ config: 'quick', losses: [{ name: 'bce' }, { name: 'any-bce' }], seeds: [1, 2], out: 'comparisons/digits' });
 */
export async function compare(options: CompareOptions, hooks: ExperimentHooks = {}): Promise<CompareResult> {
  return (await import('./experiments/compare.js')).compare(options, hooks);
}

/**
 * Trains with several values of a field, compares the runs, and recommends a value if the choice matters.
 *
 * @example
 * const { sweep: result } = await sweep({ config: 'quick', over: { field: 'loss.lambda', values: [0.02, 0.2] }, out: 'sweeps/lambda' });
 */
export async function sweep(options: SweepOptions, hooks: ExperimentHooks = {}): Promise<SweepResult> {
  return (await import('./experiments/runSweep.js')).sweep(options, hooks);
}

/**
 * Works on a study until all its trials are done or the signal is aborted, and returns what was found so far.
 *
 * @example
 * const { best } = await tune('studies/digits', { config: 'quick', trials: 30 });
 */
export async function tune(
  study: string,
  options: TuneOptions = {},
  control: TuneControl = {},
): Promise<StudyResult> {
  return (await import('./tuning/tune.js')).tune(study, options, control);
}

/**
 * Trains the unfinished runs of a table of the paper, and writes a page that compares its results with ours.
 *
 * @example
 * const { page } = await rerunPaper({ table: '2', data: ['chestxray14=data/chest'], out: 'paper' });
 */
export async function rerunPaper(options: RerunOptions, hooks: RerunHooks = {}): Promise<RerunResult> {
  return (await import('./workflows/paperRerun.js')).rerunPaper(options, hooks);
}

/**
 * Trains short pilots with several losses, then longer ones with the best of them, and recommends a loss.
 *
 * @example
 * const { recommendation } = await recommend({ source: 'digits', minutes: 10 });
 * recommendation?.verdict
 */
export async function recommend(
  options: RecommendOptions,
  hooks: ExperimentHooks = {},
): Promise<RecommendResult> {
  return (await import('./recommendation/recommend.js')).recommend(options, hooks);
}

/**
 * Shortens a configuration so that its run ends within some minutes on this machine, whose speed it measures.
 *
 * @example
 * await train(await fitMinutes({ data: { dataset: 'pipes.csv' }, network: { name: 'tresnet-s', inputSize: 96 }, epochs: 40 }, 10));
 */
export async function fitMinutes(
  configuration: ConfigurationInput,
  minutes: number,
  options: Pick<TrainOptions, 'onEvent' | 'signal'> = {},
): Promise<Configuration> {
  return (await import('./recommendation/timedRun.js')).fitMinutes(configuration, minutes, options);
}

/**
 * Writes a network's embeddings of a dataset, with names, splits and labels, as a dataset of features.
 *
 * @example
 * await embed('runs/sewer', 'sewerml=data/sewer', { out: 'features.parquet' });
 */
export async function embed(model: string, spec: string, options: EmbedOptions): Promise<Embedded> {
  return (await import('./export/embedding/embedDataset.js')).embed(model, spec, options);
}

/**
 * Exports a model (its file, or its run folder) to ONNX: one file with weights, classes, preprocessing,
 * calibration and decision.
 *
 * @example
 * const { check } = await exportOnnx('runs/sewer', { out: 'sewer.onnx' });
 */
export async function exportOnnx(model: string, options: ExportOnnxOptions): Promise<OnnxExport> {
  return (await import('./export/onnx/exportOnnx.js')).exportOnnx(model, options);
}

/**
 * Exports a network in memory: one of ours, or any module from images [batch, 3, size, size] to logits
 * [batch, classes].
 *
 * @example
 * const description = { classes: ['crack', 'roots'], channels: 3, mean: [0.5], std: [0.25] } as const;
 * await exportNetwork(new MyNetwork(), { description, inputSize: 64, out: 'mine.onnx' });
 */
export async function exportNetwork(network: nn.Layer, options: ExportNetworkOptions): Promise<OnnxExport> {
  return (await import('./export/onnx/exportOnnx.js')).exportNetwork(network, options);
}

/**
 * Exports a model as a web page: a folder for any static host, where visitors drop photos for predictions.
 *
 * @example
 * const { hasHeatMaps } = await exportWeb('runs/sewer', { out: 'sewer-web' });
 */
export async function exportWeb(model: string, options: ExportWebOptions): Promise<WebExport> {
  return (await import('./export/web/exportWeb.js')).exportWeb(model, options);
}

/**
 * Writes a model (its file, or its run folder) as a folder that timm loads.
 *
 * @example
 * (await exportTimm('runs/sewer', 'sewer-timm')).architecture // 'tresnet_l'
 */
export async function exportTimm(model: string, folder: string): Promise<ForeignExport> {
  return (await import('./export/exportFolder.js')).exportFolder('timm', model, folder);
}

/**
 * Writes a model (its file, or its run folder) with torchvision's parameter names, and how to build it.
 *
 * @example
 * (await exportTorchvision('runs/sewer', 'sewer-torchvision')).architecture // 'vit_b_16'
 */
export async function exportTorchvision(model: string, folder: string): Promise<ForeignExport> {
  return (await import('./export/exportFolder.js')).exportFolder('torchvision', model, folder);
}

/**
 * Serves models over HTTP: runs, model.safetensors or exported .onnx files, or `NAME=PATH` for another name.
 *
 * @example
 * await using server = await serve(['runs/sewer'], { port: 0 });
 * await fetch(`${server.url}/v1/predict`, { method: 'POST', body: photo });
 */
export async function serve(models: readonly string[], options: ServeOptions = {}): Promise<Server> {
  return (await import('./serving/serve.js')).serve(models, options);
}

/**
 * Refits a model's decision on labeled data of another site, and writes the model with it to a new file that says where its
 * decision comes from. The network and its calibration stay.
 *
 * @example
 * const { decision } = await refit('runs/pipes', { dataset: 'site/labels.csv', falseAlarms: 0.02, out: 'site.safetensors' });
 */
export async function refit(model: string, options: RefitOptions): Promise<Refit> {
  return (await import('./field/refit.js')).refit(model, options);
}

/**
 * Says whether a promised false-alarm rate holds after deployment, from logs of predictions and labels of a few of them.
 *
 * @example
 * const { verdict, rate } = await monitorLogs({ logs: ['predictions.jsonl'], labels: 'labels.csv', falseAlarms: 0.05 });
 */
export async function monitorLogs(options: MonitorLogsOptions): Promise<MonitoredLogs> {
  return (await import('./field/monitorLogs.js')).monitorLogs(options);
}
