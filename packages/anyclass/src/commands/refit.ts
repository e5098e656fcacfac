import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { nextLine } from '../commandLine/shellLine.js';
import type { Terminal } from '../commandLine/terminal.js';
import { openOptions } from '../configuration/openOptions.js';
import { refuseFields } from '../configuration/parts.js';
import { validateConfiguration } from '../configuration/validate.js';
import { UsageError } from '../errors/usageError.js';
import { readingFor } from '../evaluation/runSettings.js';
import { type Refit, type RefitOptions, refit as refitModel } from '../field/refit.js';
import { refitText } from '../field/refitText.js';
import { checkOutputFile, makeFolderOf } from '../files/outputs.js';
import { isRunFolder } from '../runs/runFolder.js';
import { chosenFields, datasetInputs, deviceField, force, settingOption } from './datasetOptions.js';
import { decisionFields } from './decisionOptions.js';
import { lineOrTime } from './lineOrTime.js';

const options = z.object({
  model: z.string().describe('a run, a model.safetensors, or an exported .onnx'),
  dataset: z.string().optional().describe('labeled data of the other site; all of its rows are used'),
  scores: z
    .string()
    .optional()
    .describe('instead of DATASET: probabilities of this model, as evaluate and predict write them')
    .meta({ placeholder: 'CSV' }),
  log: z
    .array(z.string())
    .default([])
    .describe('instead of DATASET: a log of predictions, of which the audited images count; may be repeated')
    .meta({ placeholder: 'LOG' }),
  labels: z
    .string()
    .optional()
    .describe('labels for --scores (by Filename) or --log (by id)')
    .meta({ placeholder: 'CSV' }),
  from: z
    .string()
    .transform(lineOrTime)
    .optional()
    .describe(
      'with --log: only from this line of all logs on, or from this time on, such as the day when a camera was replaced: 1501 or 2026-03-14',
    )
    .meta({ placeholder: 'LINE|TIME' }),
  groupColumn: z
    .string()
    .optional()
    .describe('column with the group of each row, such as its patient: of DATASET, or of --labels')
    .meta({ placeholder: 'COLUMN' }),
  split: z
    .enum(['test', 'all'])
    .optional()
    .describe(
      "test: refit on the test split alone; of the model's own data only that may be used, since it chose nothing; default all rows of other data",
    ),
  falseAlarms: decisionFields.falseAlarms.describe(
    'promise at most this share of negatives to alarm: 0.01 or 1%; default as before',
  ),
  missed: decisionFields.missed,
  per: decisionFields.per,
  confidence: decisionFields.confidence.describe(
    'confidence of the promise; none: keep the limits on these rows only; default as before',
  ),
  candidates: z
    .string()
    .transform((text, context): number | 'adaptive' => {
      const count = Number(text);
      if (text === 'adaptive' || (Number.isInteger(count) && count >= 1))
        return text === 'adaptive' ? text : count;
      context.addIssue({ code: 'custom', message: "expected a count of at least 1, or 'adaptive'" });
      return z.NEVER;
    })
    .optional()
    .describe(
      'how many budgets were compared on these rows, which the promise counts; adaptive: many, so that it is approximate; default 1',
    )
    .meta({ placeholder: 'N|adaptive' }),
  replicates: z.int().min(2).optional().describe('bootstrap replicates of the intervals; default 1000'),
  device: deviceField,
  batchSize: z.int().positive().optional().describe('images per batch; default 64'),
  set: settingOption('override a data field of the run: data.imageFolder=DIR; may be repeated'),
  out: z.string().describe('model file to write').meta({ placeholder: 'MODEL' }),
  force,
  json: z.boolean().default(false).describe('print JSON'),
});

type Options = z.output<typeof options>;

export const refit = command({
  name: 'refit',
  summary: "Fit a model's decision to another site, without training",
  positionals: [
    { field: 'model', placeholder: 'RUN|MODEL' },
    { field: 'dataset', placeholder: 'DATASET' },
  ],
  examples: [
    [
      'anyclass refit runs/sewer site/labels.csv --out site.safetensors',
      'promises as before, for this site; needs 59 labeled negatives for 5%',
    ],
    [
      'anyclass refit runs/sewer --false-alarms 2% --out sewer-2.safetensors',
      'another budget, on the validation scores that the run saved',
    ],
    [
      'anyclass refit sewer.onnx site/labels.csv --false-alarms 2% --missed 5% --out site.onnx',
      'clear, review and alarm for an exported model',
    ],
    [
      'anyclass refit runs/sewer --log predictions.jsonl --labels labels.csv --out site.safetensors',
      'from the audited images of a server',
    ],
    [
      'anyclass refit runs/sewer --scores site.csv --labels site-labels.csv --group-column pipe --out site.safetensors',
      'from saved scores; does not load libtorch',
    ],
  ],
  options,
  async run(given, terminal) {
    checkData(given);
    checkOutputFile('--out', given.out, {
      kind: 'a model file',
      inputs: [given.model, given.scores, given.labels, ...given.log, ...datasetInputs(given.dataset)],
      force: given.force,
    });
    makeFolderOf('--out', given.out);
    const result: Refit = await refitModel(given.model, refitOptions(given, terminal));
    terminal.print(given.json ? JSON.stringify(result, null, 2) : refitText(result));
    if (!given.json) terminal.note(nextLine(['predict', given.out, 'PHOTOS'], ['serve', given.out]));
    return result;
  },
});

function checkData({ model, dataset, scores, log, labels, groupColumn, split, from }: Options): void {
  if (from !== undefined && log.length === 0) throw new UsageError('--from requires --log');
  const count = Number(dataset !== undefined) + Number(scores !== undefined) + Number(log.length > 0);
  if (count === 0 && isRunFolder(model)) {
    if (labels !== undefined || groupColumn !== undefined || split !== undefined)
      throw new UsageError('--labels, --group-column and --split require a DATASET, --scores or --log');
    return;
  }
  if (count !== 1) throw new UsageError('give a DATASET, --scores, or --log, one of them');
  if (dataset !== undefined && labels !== undefined)
    throw new UsageError('--labels requires --scores or --log, not a DATASET');
  if (dataset === undefined && labels === undefined)
    throw new UsageError(`${scores === undefined ? '--log' : '--scores'} requires --labels`);
  if (dataset === undefined && split !== undefined) throw new UsageError('--split requires a DATASET');
  if (log.length > 0 && groupColumn !== undefined)
    throw new UsageError('--group-column has no effect with --log, whose lines have their group');
}

function refitOptions(given: Options, terminal: Terminal): RefitOptions {
  const { model, dataset, scores, log, labels, from, groupColumn, split, device, batchSize, set } = given;
  const { out, falseAlarms, missed, per, confidence, candidates, replicates } = given;
  const shared = { out, falseAlarms, missed, per, confidence, candidates, replicates };
  if (dataset === undefined)
    return { ...shared, scores, labels, groupColumn, from, ...(log.length > 0 && { logs: log }) };
  refuseFields(set, ['data.keep', 'data.drop'], 'has no effect: a model is refitted on its own classes');
  refuseFields(set, ['data.dataset'], 'is already given as DATASET');
  const data = readingFor(model, dataset) ?? { dataset };
  const fields = chosenFields({ set, groupColumn }, ['data'], { data });
  const settings = validateConfiguration(fields, `${dataset} with the given options`).data;
  return {
    ...shared,
    dataset: settings.dataset,
    split,
    device,
    ...(batchSize !== undefined && { batchSize }),
    open: openOptions(settings),
    preparation: settings,
    strict: settings.strict,
    allowPartial: settings.allowPartial,
    cache: settings.cache,
    onEvent: terminal.onEvent,
  };
}
