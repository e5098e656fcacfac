// What one process of predict does: it reads its inputs, predicts them and writes what was asked for.

import { existsSync } from 'node:fs';
import { z } from 'zod';
import { interruptible } from '../commandLine/interruption.js';
import type { Terminal } from '../commandLine/terminal.js';
import { dataFields } from '../configuration/dataFields.js';
import type { Settings } from '../configuration/overrides.js';
import { refuseFields } from '../configuration/parts.js';
import { validateParts } from '../configuration/validate.js';
import { type CountedNames, countedNames } from '../data/dataset/countedNames.js';
import { takesFeatures } from '../data/dataset/inputs.js';
import { knownDataset } from '../data/datasetSpec.js';
import { gatherLists } from '../distribution/exchange.js';
import type { Ranks } from '../distribution/ranks.js';
import { counted } from '../errors/counted.js';
import { lineAbout } from '../errors/escaped.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { checkExplanationFolder } from '../explain/explanationFolder.js';
import { checkOutputFile, checkOutputFolder } from '../files/outputs.js';
import { refuseSameFile } from '../files/replacing.js';
import { dividedPredictions, ownPredictions } from '../inference/dividedPredictions.js';
import { featureInputs } from '../inference/featureFiles.js';
import { createGroupAnswers, groupRemark } from '../inference/groupAnswers.js';
import { imageInputs } from '../inference/imageInputs.js';
import { type OutputFormat, outputOf } from '../inference/outputFormats.js';
import {
  type FailedPrediction,
  openPredictor,
  type Prediction,
  type PredictorInput,
} from '../inference/predictor.js';
import { chosenFields } from './datasetOptions.js';
import { type BatchPredictor, heatMapPredictor } from './heatMapPredictor.js';
import { groupLine, groupsOf, hasGroups, writeGroups } from './predictionGroups.js';
import { fileOutput, standardOutput } from './predictionOutput.js';
import { type PredictOptions, rankMark } from './predictOptions.js';
import { requestedDecision } from './requestedDecision.js';

export interface PredictedShare {
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
export async function predictShare(
  ranks: Ranks | undefined,
  given: PredictOptions & { readonly format: OutputFormat },
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
  if (given.outcome === 'review' && predictor.decision.clear === null && !description.guard)
    throw new UsageError(
      'review needs a decision that limits missed positives, or a guard against odd images; give --missed, or train with evaluation.decision.missed or evaluation.guard',
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
    hasGuard: description.guard !== undefined,
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
      if (strict) throw new UserError(lineAbout(prediction.name, prediction.failure));
      failed.push(lineAbout(prediction.name, prediction.failure));
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

function inWords(path: string): string {
  return path === '-' ? 'standard input' : path;
}
