import { existsSync } from 'node:fs';
import { OUTCOMES } from '@anyclass/core';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import type { Terminal } from '../commandLine/terminal.js';
import { dataFields } from '../configuration/dataFields.js';
import type { Settings } from '../configuration/overrides.js';
import { refuseFields } from '../configuration/parts.js';
import { validateParts } from '../configuration/validate.js';
import { type CountedNames, countedNames } from '../data/dataset/countedNames.js';
import { takesFeatures } from '../data/dataset/inputs.js';
import { knownDataset } from '../data/datasetSpec.js';
import { skippedWords } from '../data/images/formats/imageFiles.js';
import { gatherLists } from '../distribution/exchange.js';
import { failingTogether } from '../distribution/failure.js';
import { joinRanks, type Ranks } from '../distribution/ranks.js';
import { counted, inflected } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { checkExplanationFolder } from '../explain/explanationFolder.js';
import { checkOutputFile, checkOutputFolder } from '../files/outputs.js';
import { refuseSameFile } from '../files/replacing.js';
import { dividedPredictions, ownPredictions } from '../inference/dividedPredictions.js';
import { featureInputs } from '../inference/featureFiles.js';
import { createGroupAnswers, groupRemark } from '../inference/groupAnswers.js';
import { imageInputs } from '../inference/imageInputs.js';
import { type OutputFormat, outputFormats, outputOf } from '../inference/outputFormats.js';
import {
  type FailedPrediction,
  openPredictor,
  type Prediction,
  type PredictorInput,
} from '../inference/predictor.js';
import { chosenFields, force, settingOption } from './datasetOptions.js';
import { candidatesField, decisionFields } from './decisionOptions.js';
import { type BatchPredictor, heatMapPredictor } from './heatMapPredictor.js';
import {
  checkGroups,
  groupFields,
  groupLine,
  groupsOf,
  groupsText,
  hasGroups,
  writeGroups,
} from './predictionGroups.js';
import { fileOutput, standardOutput } from './predictionOutput.js';
import { requestedDecision, thresholdField } from './requestedDecision.js';

/** Stands for the number of the writing process in a file name. */
const rankMark = '{rank}';

/** Exit code when some images could not be read and the others were predicted. */
const someFailed = 3;

const options = z.object({
  model: z.string().describe('a run, a model.safetensors, or an exported .onnx'),
  paths: z
    .array(z.string())
    .min(1)
    .describe(
      'images, folders, patterns, Parquet files, NAME=DIR for the test split of a known dataset, or - to read a list from standard input; tables or matrices for a model of features',
    ),
  format: z.enum(outputFormats).optional().describe('output format; default csv'),
  out: z
    .string()
    .optional()
    .describe(
      `output file; default standard output. With launch, ${rankMark} in the name gives each process its own file`,
    )
    .meta({ placeholder: 'FILE' }),
  ...decisionFields,
  candidates: candidatesField,
  threshold: thresholdField,
  details: z
    .boolean()
    .default(false)
    .describe("add the probability that any class is present, the gate, and each label's threshold"),
  top: z.int().positive().optional().describe('add the N most probable classes'),
  outcome: z
    .enum(OUTCOMES)
    .optional()
    .describe('print only images with this outcome; review needs a decision that limits missed positives'),
  heatMaps: z
    .string()
    .optional()
    .describe('also write heat maps of presence and the predicted classes to this folder, as explain does')
    .meta({ placeholder: 'DIR' }),
  ...groupFields,
  device: z.string().default('auto').describe('device to compute on').meta({ placeholder: 'cpu|cuda' }),
  batchSize: z.int().positive().default(32).describe('images per batch'),
  set: settingOption(
    "override the run's data.channels, .mean, .std, .window, .frame or .pixelLimit, or set data.strict=true to stop at the first unreadable image",
  ),
  force,
  json: z.boolean().default(false).describe('the same as --format jsonl'),
});

export const predict = command({
  name: 'predict',
  summary: 'Predict the classes of images, or of feature vectors',
  positionals: [
    { field: 'model', placeholder: 'RUN|MODEL' },
    { field: 'paths', placeholder: 'PATH…', rest: true },
  ],
  examples: [
    ['anyclass predict runs/sewer photos > predictions.csv', 'all images in a folder and its subfolders'],
    [
      'anyclass predict runs/sewer photos --false-alarms 0.02',
      'with a decision refitted for at most 2% false alarms',
    ],
    [
      'anyclass predict runs/sewer photos --false-alarms 1% --missed 2% --outcome review',
      'only the images that a person has to look at',
    ],
    [
      'anyclass predict runs/chest studies --per group --group-folder 1 --groups-out patients.csv > images.csv',
      'one answer per image, and one per patient, whose images share a folder',
    ],
    [
      'anyclass predict model.safetensors a.jpg b.png --format jsonl --details',
      'one JSON object per line, with the gate',
    ],
    ['anyclass predict model.onnx photos', 'an exported model, without libtorch'],
    ['anyclass predict runs/soil fields.csv --format jsonl', 'feature vectors, for a model of features'],
    ['anyclass predict runs/sewer photos --heat-maps heat', 'with a page of heat maps, heat/index.html'],
    ["find . -name '*.jpg' | anyclass predict runs/sewer -", 'a list of paths from standard input'],
    [
      'anyclass predict runs/sewer sewerml=data/sewer --format sewerml --out submission.csv',
      "SewerML's test split: a submission to the benchmark",
    ],
  ],
  options,
  async run(given, terminal) {
    const { paths, json, details, top } = given;
    const format = given.format ?? (json ? 'jsonl' : 'csv');
    if (json && format !== 'jsonl')
      throw new UsageError(`--json means --format jsonl, not ${format}; give only one of them`);
    if (format === 'sewerml' && (details || top !== undefined))
      throw new UsageError(
        '--format sewerml contains only probabilities and cannot be combined with --details or --top',
      );
    if (paths.filter((path) => path === '-').length > 1)
      throw new UsageError('PATH…: - reads the list from standard input and can be given only once');
    checkGroups(given, format);
    const ranks = await joinRanks();
    const share = await failingTogether(ranks, () => predictShare(ranks, { ...given, format }, terminal));
    if (!share) return 0;
    const { predicted, others, failed, skipped, noun, groups } = share;
    if (groups !== undefined) terminal.note(groupsText(groups, given.groupsOut));
    if (skipped.count > 0) terminal.note(skippedNote(skipped));
    if (failed.length > 0)
      throw new UserError(failureText(predicted, failed, noun === 'row' ? 'file or row' : 'image'), {
        exitCode: someFailed,
      });
    terminal.note(
      given.outcome === undefined
        ? counted(predicted, noun)
        : `${predicted} of ${counted(predicted + others, noun)}: ${given.outcome}`,
    );
    return predicted;
  },
});

type Options = z.output<typeof options>;

interface PredictedShare {
  readonly predicted: number;
  /** Predictions that --outcome left out. */
  readonly others: number;
  /** The inputs that could not be read, and why. */
  readonly failed: readonly string[];
  readonly skipped: CountedNames;
  readonly noun: 'row' | 'image';
  /** How many groups were answered; undefined without groups. */
  readonly groups?: number | undefined;
}

/**
 * Predicts this rank's share. The first rank returns the outcome of all ranks; the others return undefined.
 */
async function predictShare(
  ranks: Ranks | undefined,
  given: Options & { readonly format: OutputFormat },
  terminal: Terminal,
): Promise<PredictedShare | undefined> {
  const { model, paths, format, device, batchSize, set, details, top } = given;
  const isOwnFile = given.out?.includes(rankMark) ?? false;
  const out = given.out?.replaceAll(rankMark, String(ranks?.rank ?? 0));
  const isWriter = ranks?.isFirst !== false || isOwnFile;
  if (ranks && paths.includes('-'))
    throw new UsageError('PATH…: - cannot be divided among processes; give files, folders or patterns');
  if (isOwnFile && hasGroups(given))
    throw new UsageError(`--out with ${rankMark} divides groups among files; leave it out of the name`);
  if (out !== undefined && isWriter) checkOutput('--out', out, format, given);
  if (given.groupsOut !== undefined && isWriter) checkOutput('--groups-out', given.groupsOut, format, given);
  const groupOf = await groupsOf(given);
  const { strict, ...preparation } = imageSettings(set);
  const decision = requestedDecision(given);
  if (given.heatMaps !== undefined) {
    if (ranks)
      throw new UsageError('cannot be combined with launch; write heat maps in one process', 'heatMaps');
    checkOutputFolder('--heat-maps', given.heatMaps);
    checkExplanationFolder(given.heatMaps);
  }
  using predictor: BatchPredictor =
    given.heatMaps === undefined
      ? await openPredictor(model, { decision, device, batchSize, preparation })
      : await heatMapPredictor(model, given.heatMaps, { decision, device, preparation });
  const { description } = predictor;
  if (given.outcome === 'review' && predictor.decision.clear === null)
    throw new UsageError(
      'review needs a decision that limits missed positives; give --missed, or train with evaluation.decision.missed',
      'outcome',
    );
  for (const remark of predictor.remarks) terminal.note(remark);
  const groupNote = groupOf && groupRemark(predictor.decision);
  if (groupNote !== undefined) terminal.note(groupNote);
  const groups = groupOf && createGroupAnswers(description.classes);
  const { header, line } = outputOf(format, {
    groupOf,
    classes: description.classes,
    decision: predictor.decision,
    details,
    top,
  });
  // Only for a file: printed predictions are already out, so Ctrl-C may end the program immediately.
  using interruption =
    out === undefined
      ? undefined
      : interruptible(terminal, 'Stopping after the current images; press Ctrl-C again to quit immediately');
  const reading = new AbortController();
  interruption?.signal.addEventListener('abort', () => reading.abort());
  using target = out === undefined ? standardOutput : fileOutput('--out', out);
  const failed: string[] = [];
  const skipped = countedNames();
  let predicted = 0;
  let others = 0;
  const { signal } = reading;
  const inputs = takesFeatures(description)
    ? featureInputs(paths, description.features, undefined, signal)
    : imageInputs(paths, undefined, signal, skipped.add);
  const noun = takesFeatures(description) ? 'row' : 'image';
  const spared = out === undefined ? inputs : refusingOutput(out, inputs);
  for await (const prediction of predictions(ranks, predictor, spared, { batchSize, isOwnFile, signal })) {
    // Ranks that write their own files stop together, at their next synchronization.
    if (signal.aborted && !(ranks && isOwnFile)) break;
    if (groupOf && isWriter) groups?.add(groupOf(prediction.name), prediction);
    if ('failure' in prediction) {
      if (strict) throw new UserError(`${prediction.name}: ${prediction.failure}`);
      failed.push(`${prediction.name}: ${prediction.failure}`);
      continue;
    }
    if (given.outcome !== undefined && prediction.outcome !== given.outcome) {
      others++;
      continue;
    }
    // The header waits for the first prediction: alone, it would look like a result.
    const first = predicted === 0 && header !== undefined ? `${header}\n` : '';
    if (await target.write(`${first}${line(prediction)}`)) predicted++;
    else reading.abort();
  }
  if (interruption?.signal.aborted) {
    const message = `Interrupted after ${counted(predicted, noun)}; ${target.leave()}`;
    throw new UserError(message, { exitCode: interruption.exitCode() });
  }
  // Nobody reads the output anymore, so there is nothing to report.
  if (signal.aborted) return { predicted, others, failed: [], skipped: countedNames(), noun };
  if (!isWriter) return undefined;
  // A table of nothing is the answer if no image has the outcome that was asked for.
  if (predicted === 0 && others > 0 && header !== undefined) await target.write(header);
  const answers = groups?.finish().filter(({ outcome }) => outcome === (given.outcome ?? outcome));
  if (answers && given.groupsOut === undefined)
    for (const answer of answers) await target.write(groupLine('jsonl', answer));
  if (predicted + others > 0) target.finish();
  if (answers && given.groupsOut !== undefined) await writeGroups(given.groupsOut, format, answers);
  const page = predictor.finish?.();
  if (page !== undefined) terminal.note(`wrote heat maps; open ${page}`);
  const own = { predicted, others, failed };
  const all = ranks && isOwnFile ? await ofAllRanks(ranks, own) : own;
  if (all.predicted + all.others + all.failed.length === 0)
    throw new UserError(`no ${noun} in ${paths.map(inWords).join(', ')}`);
  return ranks?.isFirst === false ? undefined : { ...all, skipped, noun, groups: answers?.length };
}

/** Sums up the outcomes of all ranks: one rank's share may have no images, or only unreadable ones. */
async function ofAllRanks(
  ranks: Ranks,
  own: Pick<PredictedShare, 'predicted' | 'others' | 'failed'>,
): Promise<Pick<PredictedShare, 'predicted' | 'others' | 'failed'>> {
  const shares = await gatherLists(ranks, [own]);
  return {
    predicted: shares.reduce((sum, { predicted }) => sum + predicted, 0),
    others: shares.reduce((sum, { others }) => sum + others, 0),
    failed: shares.flatMap(({ failed }) => failed),
  };
}

/**
 * Predicts all inputs. With several ranks, the first yields all predictions, or each yields those of its own
 * share if it writes its own file.
 */
function predictions(
  ranks: Ranks | undefined,
  predictor: BatchPredictor,
  inputs: AsyncIterable<PredictorInput>,
  {
    batchSize,
    isOwnFile,
    signal,
  }: { readonly batchSize: number; readonly isOwnFile: boolean; readonly signal: AbortSignal },
): AsyncGenerator<Prediction | FailedPrediction> {
  if (!ranks) return predictor.predict(inputs);
  if (isOwnFile) return ownPredictions(ranks, predictor, inputs, batchSize, signal);
  return dividedPredictions(ranks, predictor, inputs, batchSize);
}

/** The kind of file that each format writes; without `--force`, only a file of the same kind is replaced. */
const outputKinds = {
  csv: 'a table of predictions',
  sewerml: 'a table of scores',
  jsonl: 'predictions as JSON lines',
} as const;

function checkOutput(
  flag: string,
  out: string,
  format: OutputFormat,
  {
    model,
    paths,
    force,
  }: { readonly model: string; readonly paths: readonly string[]; readonly force: boolean },
): void {
  checkOutputFile(flag, out, {
    kind: outputKinds[format],
    inputs: [model, ...paths.map((path) => knownDataset(path)?.folder ?? path)],
    force,
  });
}

/**
 * Passes inputs on and throws if one is the output file: patterns and lists reveal their files one by one.
 */
async function* refusingOutput(
  out: string,
  inputs: AsyncIterable<PredictorInput>,
): AsyncGenerator<PredictorInput> {
  const isThere = existsSync(out);
  for await (const input of inputs) {
    if (isThere && 'path' in input && input.path !== undefined) refuseSameFile('--out', out, input.path);
    yield input;
  }
}

/** The data fields about images; all others are about a dataset. */
const imageFields = ['channels', 'mean', 'std', 'window', 'frame', 'pixelLimit', 'strict'];

function imageSettings(set: Settings) {
  const idle = Object.keys(dataFields.shape).filter((name) => !imageFields.includes(name));
  refuseFields(
    set,
    idle.map((name) => `data.${name}`),
    'has no effect on predictions',
  );
  const { data } = validateParts(
    z.strictObject({ data: dataFields.omit({ dataset: true }).prefault({}) }),
    chosenFields({ set }, ['data']),
    'the given options',
  );
  const { channels, mean, std, window, frame, pixelLimit, strict } = data;
  return { channels, mean, std, window, frame, pixelLimit, strict };
}

function skippedNote({ count, examples }: CountedNames): string {
  return `${count} ${inflected(count, ...skippedWords)}, such as ${examples[0]}`;
}

function inWords(path: string): string {
  return path === '-' ? 'standard input' : path;
}

function failureText(predicted: number, failed: readonly string[], word: string): string {
  const many =
    predicted === 0
      ? `no ${word} could be read:`
      : `${failed.length} of ${predicted + failed.length} ${word === 'image' ? 'images' : 'files and rows'} could not be read:`;
  return [many, ...failed.map((text) => `  ${text}`)].join('\n');
}
