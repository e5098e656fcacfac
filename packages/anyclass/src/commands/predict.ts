import type { FitDecisionOptions } from '@anyclass/core';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import { printed, type Terminal } from '../commandLine/terminal.js';
import { dataFields } from '../configuration/dataFields.js';
import { refuseFields } from '../configuration/parts.js';
import { validateConfiguration } from '../configuration/validate.js';
import { failingTogether } from '../distribution/failure.js';
import { joinRanks, type Ranks } from '../distribution/ranks.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { checkOutputFile, draftOutput } from '../files/outputs.js';
import type { Draft } from '../files/wholeFile.js';
import { decisionText } from '../inference/decide.js';
import { dividedPredictions, shareOfImages } from '../inference/dividedPredictions.js';
import { type ImageInput, imageInputs } from '../inference/imageInputs.js';
import { refitDecision } from '../inference/modelDecision.js';
import { outputFormats, outputOf } from '../inference/outputFormats.js';
import {
  type FailedPrediction,
  openPredictor,
  type Prediction,
  type Predictor,
} from '../inference/predictor.js';
import { chosenFields, settingOption } from './datasetOptions.js';
import { chosenDecision, decisionFields, type GivenDecision } from './decisionOptions.js';

/** In the name of a file: the number of the process that writes it. */
const rankMark = '{rank}';

/** Some images could not be read; the others were predicted. */
const someFailed = 3;

const options = z.object({
  model: z.string().describe('a run, a model.safetensors, or an exported .onnx'),
  paths: z
    .array(z.string())
    .min(1)
    .describe('images, folders, patterns, Parquet files, - for a list on standard input'),
  format: z.enum(outputFormats).optional().describe('of the output; default csv'),
  out: z
    .string()
    .optional()
    .describe(
      `write there; default standard output. Below a launcher, ${rankMark} gives each process its own file`,
    )
    .meta({ placeholder: 'FILE' }),
  ...decisionFields,
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("one threshold for all classes, in place of the model's decision"),
  details: z
    .boolean()
    .default(false)
    .describe('also the probability that any class is present, the gate, and the thresholds of the labels'),
  top: z.int().positive().optional().describe('also the N most probable classes'),
  device: z.string().default('auto').describe('where to compute').meta({ placeholder: 'cpu|cuda' }),
  batchSize: z.int().positive().default(32).describe('images at a time'),
  set: settingOption(
    'data.channels, data.mean or data.std, in place of those of training, or data.strict=true to end at an unreadable image',
  ),
  json: z.boolean().default(false).describe('the same as --format jsonl'),
});

type PredictOptions = z.output<typeof options>;

export const predict = command({
  name: 'predict',
  summary: 'Predict the classes of images',
  positionals: [
    { field: 'model', placeholder: 'RUN|MODEL' },
    { field: 'paths', placeholder: 'PATH…', rest: true },
  ],
  examples: [
    ['anyclass predict runs/sewer photos > predictions.csv', 'all images in a folder and below it'],
    ['anyclass predict runs/sewer photos --false-alarms 0.02', 'decided anew, for at most 2% false alarms'],
    [
      'anyclass predict model.safetensors a.jpg b.png --format jsonl --details',
      'an object a line, with the gate',
    ],
    ['anyclass predict model.onnx photos', 'an exported model, without libtorch'],
    ["find . -name '*.jpg' | anyclass predict runs/sewer -", 'a list of paths'],
    ['anyclass predict runs/sewer data/test --format sewerml --out submission.csv', 'for the benchmark'],
  ],
  options,
  async run(given, terminal) {
    const ranks = await joinRanks();
    return failingTogether(ranks, () => predictShare(ranks, given, terminal));
  },
});

async function predictShare(
  ranks: Ranks | undefined,
  chosen: PredictOptions,
  terminal: Terminal,
): Promise<number> {
  const { model, paths, out: given, device, batchSize, set, json, details, top } = chosen;
  const format = chosen.format ?? (json ? 'jsonl' : 'csv');
  if (json && format !== 'jsonl') throw new UsageError(`--json is --format jsonl, not ${format}; give one`);
  if (format === 'sewerml' && (details || top !== undefined))
    throw new UsageError('--format sewerml has probabilities only: no --details or --top');
  if (paths.filter((path) => path === '-').length > 1)
    throw new UsageError('PATH…: - stands for the list on standard input, which is there once');
  const isOwnFile = given?.includes(rankMark) ?? false;
  const out = given?.replaceAll(rankMark, String(ranks?.rank ?? 0));
  const isWriter = ranks?.isFirst !== false || isOwnFile;
  if (ranks && paths.includes('-'))
    throw new UsageError('PATH…: - cannot be divided among processes; give files, folders or patterns');
  if (out !== undefined && isWriter) checkOutputFile('--out', out);
  const { strict, ...preparation } = imageSettings(set);
  const decision = await usedDecision(chosen, terminal);
  using predictor = await openPredictor(model, { decision, device, batchSize, preparation });
  const { header, line } = outputOf(format, {
    classes: predictor.description.classes,
    decision: predictor.decision,
    details,
    top,
  });
  // Only where there is a file to take care of: what is printed is out, and Ctrl-C may end the program at once.
  using interruption =
    out === undefined
      ? undefined
      : interruptible(terminal, 'stopping after the images at hand; once more to end at once');
  const reading = new AbortController();
  interruption?.signal.addEventListener('abort', () => reading.abort());
  using target = out === undefined ? standardOutput : fileOutput(out);
  const failed: string[] = [];
  let predicted = 0;
  const inputs = imageInputs(paths, undefined, reading.signal);
  for await (const prediction of predictions(ranks, predictor, inputs, batchSize, isOwnFile)) {
    if (reading.signal.aborted) break;
    if ('failure' in prediction) {
      if (strict) throw new UserError(`${prediction.name}: ${prediction.failure}`);
      failed.push(`${prediction.name}: ${prediction.failure}`);
      continue;
    }
    // Not before there is a prediction: a header alone looks like a result.
    const first = predicted === 0 && header !== undefined ? `${header}\n` : '';
    if (await target.write(`${first}${line(prediction)}`)) predicted++;
    else reading.abort();
  }
  if (interruption?.signal.aborted) {
    const message = `interrupted after ${images(predicted)}; ${target.leave()}`;
    throw new UserError(message, { exitCode: interruption.exitCode() });
  }
  if (reading.signal.aborted) return predicted;
  if (!isWriter) return predicted;
  if (predicted + failed.length === 0) throw new UserError(`no image in ${paths.map(inWords).join(', ')}`);
  if (predicted > 0) target.finish();
  if (failed.length > 0) throw new UserError(failureText(predicted, failed), { exitCode: someFailed });
  terminal.note(images(predicted));
  return predicted;
}

/** The predictions of all images; of several ranks on the first, or of its own share on each. */
function predictions(
  ranks: Ranks | undefined,
  predictor: Predictor,
  inputs: AsyncIterable<ImageInput>,
  batchSize: number,
  isOwnFile: boolean,
): AsyncGenerator<Prediction | FailedPrediction> {
  if (!ranks) return predictor.predict(inputs);
  if (isOwnFile) return predictor.predict(shareOfImages(ranks, inputs, batchSize));
  return dividedPredictions(ranks, predictor, inputs, batchSize);
}

/** What the options ask for in place of the model's own decision; a refitted one is told with its figures. */
async function usedDecision(
  chosen: GivenDecision & { readonly model: string; readonly threshold?: number | undefined },
  terminal: Terminal,
): Promise<number | FitDecisionOptions | undefined> {
  const { model, threshold, rule, falseAlarms, f1Neg, confidence, beta } = chosen;
  const given = { falseAlarms, f1Neg, confidence, beta };
  if (threshold !== undefined) {
    const hasOthers = Object.values(given).some((value) => value !== undefined);
    if (hasOthers || (rule !== undefined && rule !== 'fixed'))
      throw new UsageError('decides by itself; leave the other options of the decision out', 'threshold');
    return threshold;
  }
  const fit = chosenDecision({ ...given, rule });
  if (Object.keys(fit).length === 0) return undefined;
  if (rule === 'fixed') return 0.5;
  const refitted = await refitDecision(model, fit, (text) => terminal.note(text));
  terminal.note(decisionText(refitted));
  const { test } = refitted;
  if (test) {
    const alarms =
      test.falseAlarmRate === null ? '' : `, false alarms ${(100 * test.falseAlarmRate).toFixed(2)}%`;
    terminal.note(`on test: F1 ${(100 * test.macroF1).toFixed(2)}${alarms}`);
  }
  return fit;
}

/** The fields of data that are about images; all others are about a dataset. */
const imageFields = ['channels', 'mean', 'std', 'strict'];

function imageSettings(set: readonly string[]) {
  const idle = Object.keys(dataFields.shape).filter((name) => !imageFields.includes(name));
  refuseFields(
    set,
    idle.map((name) => `data.${name}`),
    'has no effect on predictions',
  );
  const fields = chosenFields({ set }, ['data'], { data: { dataset: 'digits' } });
  const { channels, mean, std, strict } = validateConfiguration(fields, 'the options given').data;
  return { channels, mean, std, strict };
}

function images(count: number): string {
  return `${count} ${count === 1 ? 'image' : 'images'}`;
}

function inWords(path: string): string {
  return path === '-' ? 'standard input' : path;
}

function failureText(predicted: number, failed: readonly string[]): string {
  const many =
    predicted === 0
      ? 'no image could be read:'
      : `${failed.length} of ${predicted + failed.length} images could not be read:`;
  return [many, ...failed.map((text) => `  ${text}`)].join('\n');
}

/** Removes what is not finished when it is disposed of. */
interface Output extends Disposable {
  /** Writes a line; false where nobody takes more. */
  write(text: string): Promise<boolean>;
  finish(): void;
  /** Keeps what was written so far, and tells where. */
  leave(): string;
}

const standardOutput: Output = {
  write: printed,
  finish() {},
  leave: () => 'what was predicted is on standard output',
  [Symbol.dispose]() {},
};

/** Begun with its first line. */
function fileOutput(path: string): Output {
  let draft: Draft | undefined;
  return {
    async write(text) {
      draft ??= draftOutput('--out', path);
      draft.write(`${text}\n`);
      return true;
    },
    finish() {
      draft?.finish();
      draft = undefined;
    },
    leave() {
      const kept = draft;
      kept?.leave();
      draft = undefined;
      return kept ? `what was predicted is in ${kept.path}` : `nothing was written to ${path}`;
    },
    [Symbol.dispose]: () => draft?.discard(),
  };
}
