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
import { gatherLists } from '../distribution/exchange.js';
import type { Ranks } from '../distribution/ranks.js';
import { counted } from '../errors/counted.js';
import { lineAbout } from '../errors/escaped.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
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
  type PredictorOptions,
} from '../inference/predictor.js';
import { chosenFields } from './datasetOptions.js';
import { type BatchPredictor, heatMapPredictor } from './heatMapPredictor.js';
import { groupLine, groupsOf, writeGroups } from './predictionGroups.js';
import { fileOutput, type PredictionCounts, predictionLines, standardOutput } from './predictionOutput.js';
import type { PredictOptions } from './predictOptions.js';
import { type PredictPlace, predictPlace } from './predictPlace.js';
import { requestedDecision } from './requestedDecision.js';

export interface PredictedShare extends PredictionCounts {
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
  const { paths, format, details, top } = given;
  const place = predictPlace(given, ranks);
  const groupOf = await groupsOf(given);
  const { strict, ...preparation } = imageSettings(given.set);
  using predictor = await openedPredictor(given, preparation);
  const { description, decision } = predictor;
  const { classes } = description;
  const groupNote = groupOf && groupRemark(decision);
  for (const remark of predictor.remarks) terminal.note(remark);
  if (groupNote !== undefined) terminal.note(groupNote);
  // Only for a file: printed predictions are already out, so Ctrl-C may end the program immediately.
  using interruption =
    place.out === undefined
      ? undefined
      : interruptible(terminal, 'Stopping after the current images; press Ctrl-C again to quit immediately');
  const reading = new AbortController();
  interruption?.signal.addEventListener('abort', () => reading.abort());
  const { signal } = reading;
  const skipped = countedNames();
  const [noun, inputs] = takesFeatures(description)
    ? (['row', featureInputs(paths, description.features, undefined, signal)] as const)
    : (['image', imageInputs(paths, undefined, signal, skipped.add)] as const);
  using target = place.out === undefined ? standardOutput : fileOutput('--out', place.out);
  const hasGuard = description.guard !== undefined;
  const output = outputOf(format, { groupOf, classes, decision, hasGuard, details, top });
  const lines = predictionLines(target, output, given.outcome);
  const groups = groupOf && createGroupAnswers(classes);
  for await (const prediction of predictions(ranks, predictor, inputs, { ...given, ...place, signal })) {
    // Ranks that write their own files stop together, at their next synchronization.
    if (signal.aborted && !(ranks && place.isOwnFile)) break;
    if (groupOf && place.isWriter) groups?.add(groupOf(prediction.name), prediction);
    if (strict && 'failure' in prediction)
      throw new UserError(lineAbout(prediction.name, prediction.failure));
    if (!(await lines.add(prediction))) reading.abort();
  }
  const own = lines.counts();
  if (interruption?.signal.aborted) {
    const message = `Interrupted after ${counted(own.predicted, noun)}; ${target.leave()}`;
    throw new UserError(message, { exitCode: interruption.exitCode() });
  }
  // Nobody reads the output anymore, so there is nothing to report.
  if (signal.aborted) return { ...own, failed: [], skipped: countedNames(), noun };
  if (!place.isWriter) return undefined;
  await lines.end();
  const answers = groups?.finish().filter(({ outcome }) => outcome === (given.outcome ?? outcome));
  if (answers && given.groupsOut === undefined)
    for (const answer of answers) await target.write(groupLine('jsonl', answer));
  if (own.predicted + own.others > 0) target.finish();
  if (answers && given.groupsOut !== undefined) await writeGroups(given.groupsOut, format, answers);
  const page = predictor.finish?.();
  if (page !== undefined) terminal.note(`wrote heat maps; open ${page}`);
  const all = ranks && place.isOwnFile ? await ofAllRanks(ranks, own) : own;
  if (all.predicted + all.others + all.failed.length === 0)
    throw new UserError(`no ${noun} in ${paths.map(inWords).join(', ')}`);
  return ranks?.isFirst === false ? undefined : { ...all, skipped, noun, groups: answers?.length };
}

async function openedPredictor(
  given: PredictOptions,
  preparation: PredictorOptions['preparation'],
): Promise<BatchPredictor> {
  const { model, device, batchSize, heatMaps, outcome } = given;
  const decision = requestedDecision(given);
  const predictor: BatchPredictor =
    heatMaps === undefined
      ? await openPredictor(model, { decision, device, batchSize, preparation })
      : await heatMapPredictor(model, heatMaps, { decision, device, preparation });
  if (outcome !== 'review' || predictor.decision.clear !== null || predictor.description.guard)
    return predictor;
  predictor[Symbol.dispose]();
  throw new UsageError(
    'review needs a decision that limits missed positives, or a guard against odd images; give --missed, or train with evaluation.decision.missed or evaluation.guard',
    'outcome',
  );
}

/** Sums up the outcomes of all ranks: one rank's share may have no images, or only unreadable ones. */
async function ofAllRanks(ranks: Ranks, own: PredictionCounts): Promise<PredictionCounts> {
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
  options: PredictPlace & { readonly batchSize: number; readonly signal: AbortSignal },
): AsyncGenerator<Prediction | FailedPrediction> {
  const { out, isOwnFile, batchSize, signal } = options;
  const spared = out === undefined ? inputs : refusingOutput(out, inputs);
  if (!ranks) return predictor.predict(spared);
  if (isOwnFile) return ownPredictions(ranks, predictor, spared, batchSize, signal);
  return dividedPredictions(ranks, predictor, spared, batchSize);
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
