import { command } from '../commandLine/command.js';
import { flagOf } from '../commandLine/fields.js';
import { settingWords } from '../commandLine/grammar/settings.js';
import { nextLine, shellLine } from '../commandLine/shellLine.js';
import type { Terminal } from '../commandLine/terminal.js';
import { openOptions } from '../configuration/openOptions.js';
import { refuseFields } from '../configuration/parts.js';
import type { Configuration } from '../configuration/schema.js';
import { configurationSchema } from '../configuration/schema.js';
import { validateConfiguration, validateParts } from '../configuration/validate.js';
import { isFirstRank } from '../distribution/firstRank.js';
import { lineAbout } from '../errors/escaped.js';
import { UsageError } from '../errors/usageError.js';
import { readClassImportance } from '../evaluation/classImportance.js';
import { evaluate as evaluateModel } from '../evaluation/evaluate.js';
import { evaluateScores } from '../evaluation/evaluateScores.js';
import { readingFor } from '../evaluation/runSettings.js';
import type { Judgment } from '../events/judgment.js';
import { judgmentVerdict } from '../experiments/comparisonVerdict.js';
import { checkInputFile } from '../files/inputs.js';
import { checkOutputFile, makeFolderOf, writeOutput } from '../files/outputs.js';
import { isOnnxFile, readModelRecord } from '../inference/modelRecord.js';
import type { EvaluationPageOptions } from '../reports/evaluationReport.js';
import { judgmentText } from '../reports/judgmentText.js';
import { calibratedScores } from '../runs/calibratedScores.js';
import { fittingScores } from '../runs/runScores.js';
import { joinTables, readTable, writeTable } from '../runs/scoreFiles.js';
import { chosenFields, datasetInputs } from './datasetOptions.js';
import { chosenDecision, limitWords, requestedChange } from './decisionOptions.js';
import {
  byOptions,
  costsOf,
  type EvaluateOptions,
  evaluateOptions,
  forFitting,
  forModels,
  forScores,
  refuse,
} from './evaluateOptions.js';

export const evaluate = command({
  name: 'evaluate',
  summary: 'Evaluate a model, or saved scores, on labeled data',
  positionals: [
    { field: 'model', placeholder: 'RUN|MODEL' },
    { field: 'dataset', placeholder: 'DATASET' },
  ],
  examples: [
    ['anyclass evaluate runs/sewer sewerml=data/sewerml --split validation', 'a finished run, on one split'],
    [
      'anyclass evaluate runs/sewer new/labels.csv --set data.imageFolder=new/photos',
      "other data with the model's classes, read with the settings of the run",
    ],
    [
      'anyclass evaluate runs/sewer --false-alarms 0.02',
      'with a new decision, fitted on the saved validation scores',
    ],
    [
      'anyclass evaluate runs/sewer --cost-miss 50 --cost-alarm 1 --prevalence 2%',
      'with the budget that costs the least where 2% are positive',
    ],
    [
      'anyclass evaluate --scores scores.csv --labels labels.csv',
      'scores from any source; does not need libtorch',
    ],
    [
      'anyclass evaluate --scores test.csv --labels test-labels.csv --fit-scores val.csv --fit-labels val-labels.csv --false-alarms 0.05',
      'with a gate fitted on other data',
    ],
    [
      'anyclass evaluate --scores test.csv --labels test-labels.csv --fit-scores val.csv --fit-labels val-labels.csv --group-column patient --missed 5%',
      'clear, review and alarm, each promised for patients the fit has not seen',
    ],
    [
      'anyclass evaluate --scores sewer.csv --labels SewerML_Val.csv --class-importance sewerml',
      'with F2-CIW, the metric that the benchmark ranks by',
    ],
  ],
  options: evaluateOptions,
  async run(given, terminal) {
    checkOutputs(given);
    const judgment =
      given.scores === undefined ? await judgeModel(given, terminal) : await judgeScores(given);
    const verdict = judgmentVerdict(judgment);
    terminal.print(given.json ? JSON.stringify({ verdict, ...judgment }, null, 2) : judgmentText(judgment));
    if (given.html !== undefined) terminal.note(`wrote ${given.html}`);
    const { model, dataset } = given;
    if (judgment.decided?.contradicted && model !== undefined && dataset !== undefined)
      terminal.note(`To fit the decision to this data: ${shellLine(refitWords(model, dataset, given))}`);
    else if (!given.json && !terminal.isPiped) terminal.note(nextLine(...nextCommands(given)));
    return judgment;
  },
});

/** The command that refits the decision on the same data, read in the same way, for the same limits. */
function refitWords(model: string, dataset: string, given: EvaluateOptions): string[] {
  const { split, device } = given;
  return [
    ...['anyclass', 'refit', model, dataset, ...dataWords(given)],
    ...(split === 'test' || split === 'all' ? ['--split', split] : []),
    ...limitWords(given),
    ...(device === 'auto' ? [] : ['--device', device]),
    ...['--out', isOnnxFile(model) ? 'NEW.onnx' : 'NEW.safetensors'],
  ];
}

/** The options that say how the data is read. */
function dataWords({ groupColumn, set }: EvaluateOptions): string[] {
  const ofData = Object.entries(set).filter(([field]) => field.startsWith('data.'));
  return [
    ...(groupColumn === undefined ? [] : ['--group-column', groupColumn]),
    ...settingWords(Object.fromEntries(ofData)),
  ];
}

function wordsOf(options: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(options).flatMap(([field, value]) =>
    value === undefined ? [] : [flagOf(field), value],
  );
}

/** A page with charts, another budget, and the model at work. */
function nextCommands(given: EvaluateOptions): string[][] {
  const { model, dataset, split, html, falseAlarms, scores, labels, fitScores, fitLabels } = given;
  const judged = [
    ...(model === undefined ? [] : [model]),
    ...(dataset === undefined ? [] : [dataset]),
    ...wordsOf({ scores, labels, fitScores, fitLabels, split }),
    ...dataWords(given),
    ...limitWords(given),
  ];
  return [
    ...(html === undefined ? [['evaluate', ...judged, '--html', 'evaluation.html']] : []),
    ...(model !== undefined && falseAlarms === undefined
      ? [['evaluate', ...judged, '--false-alarms', '2%']]
      : []),
    ...(model === undefined ? [] : [['predict', model, 'PHOTOS']]),
  ];
}

function checkOutputs(given: EvaluateOptions): void {
  const { html, saveScores, model, dataset, scores, labels, fitScores, fitLabels, classImportance } = given;
  const inputs = [
    ...datasetInputs(dataset),
    ...[model, scores, labels, fitScores, fitLabels, classImportance],
  ];
  const rules = { inputs, force: given.force };
  if (html !== undefined) checkOutputFile('--html', html, { ...rules, kind: 'an HTML page' });
  if (saveScores !== undefined)
    checkOutputFile('--save-scores', saveScores, { ...rules, kind: 'a table of scores' });
}

async function judgeScores(given: EvaluateOptions): Promise<Judgment> {
  const { scores, labels, model, fitScores, fitLabels, html } = given;
  if (model !== undefined) throw new UsageError('give a RUN or MODEL, or --scores, not both');
  refuse(given, forModels, 'a model, not --scores');
  if (scores === undefined || labels === undefined) throw new UsageError('--scores requires --labels');
  if ((fitScores === undefined) !== (fitLabels === undefined)) {
    throw new UsageError('--fit-scores and --fit-labels must be given together');
  }
  if (fitScores === undefined) {
    refuse(given, forFitting, '--fit-scores');
    refuseFields(given.set, ['evaluation.calibration'], 'requires --fit-scores');
  }
  if (given.per === 'group' && given.groupColumn === undefined)
    throw new UsageError('--per group requires --group-column');
  refuseFields(given.set, ['data', 'evaluation.batchSize'], 'requires a model, not --scores');
  refuseFields(given.set, ['evaluation.decision'], byOptions);
  for (const option of ['scores', 'labels', 'fitScores', 'fitLabels'] as const) {
    if (given[option] !== undefined) checkInputFile(given[option], flagOf(option));
  }
  const classImportance =
    given.classImportance === undefined ? undefined : readClassImportance(given.classImportance);
  const { evaluation } = validateParts(
    configurationSchema.pick({ evaluation: true }),
    // Of tables of scores, the column is no field of a dataset.
    chosenFields({ ...given, groupColumn: undefined }, ['evaluation']),
    'the given options',
  );
  const { replicates, confidence, calibration } = evaluation;
  const isCalibrated = 'evaluation.calibration' in given.set;
  const judgment = await evaluateScores({
    scores,
    labels,
    groupColumn: given.groupColumn,
    prevalence: given.prevalence,
    costs: costsOf(given),
    ...(fitScores !== undefined && { fitScores, fitLabels, decision: chosenDecision(given) }),
    // Not calibrated unless requested, so that the fitted decision applies to the given scores directly.
    ...(isCalibrated && { calibration }),
    classImportance,
    replicates,
    confidence,
  });
  if (html !== undefined) {
    const { groupColumn } = given;
    const read = async (table: string, labeling: string) =>
      calibratedScores(
        joinTables(await readTable(table), await readTable(labeling, { groupColumn }), table),
        judgment.calibrated?.calibration,
      );
    await writePage(html, scores, judgment, {
      scored: await read(scores, labels),
      fitted: fitScores && fitLabels ? await read(fitScores, fitLabels) : undefined,
    });
  }
  return judgment;
}

async function judgeModel(given: EvaluateOptions, terminal: Terminal): Promise<Judgment> {
  const { model, split, device, saveScores, html, set } = given;
  if (model === undefined) throw new UsageError('give a RUN or MODEL, or --scores and --labels');
  refuse(given, forScores, '--scores, not a model');
  refuseFields(
    set,
    ['evaluation.calibration'],
    'has no effect on a model, which keeps the calibration fitted in training',
  );
  refuseFields(set, ['evaluation.decision'], byOptions);
  refuseFields(set, ['data.keep', 'data.drop'], 'has no effect: a model is evaluated on its own classes');
  refuseFields(set, ['data.subset'], 'has no effect: it only applies to training');
  refuseFields(set, ['data.dataset'], 'is already given as DATASET');
  const { data, evaluation } = modelSettings(model, given);
  const decision = requestedChange(given);
  const { judgment, scored, names, quarantined } = await evaluateModel(model, data.dataset, {
    split,
    device,
    batchSize: evaluation.batchSize ?? 64,
    replicates: evaluation.replicates,
    confidence: evaluation.confidence,
    prevalence: given.prevalence,
    costs: costsOf(given),
    ...(Object.keys(decision).length > 0 && { decision }),
    open: openOptions(data),
    preparation: data,
    strict: data.strict,
    allowPartial: data.allowPartial,
    cache: data.cache,
    onEvent: terminal.onEvent,
  });
  if (!isFirstRank()) return judgment;
  for (const { name, reason } of quarantined) terminal.note(`skipped ${lineAbout(name, reason)}`);
  if (saveScores !== undefined) {
    makeFolderOf('--save-scores', saveScores);
    writeTable(saveScores, { names, classNames: scored.classNames, values: scored.scores });
  }
  if (html !== undefined)
    await writePage(html, model, judgment, {
      scored,
      fitted: await fittingScores(model),
      instance: 'features' in readModelRecord(model).description ? 'row' : 'image',
      quarantined,
    });
  return judgment;
}

/** Loaded late: most evaluations write no page. */
async function writePage(
  path: string,
  title: string,
  judgment: Judgment,
  made: EvaluationPageOptions,
): Promise<void> {
  const { evaluationPage } = await import('../reports/evaluationReport.js');
  writeOutput('--html', path, evaluationPage(title, judgment, made));
}

/** The settings for evaluating a model: the data of its run, or other data read in the same way. */
function modelSettings(model: string, given: EvaluateOptions): Pick<Configuration, 'data' | 'evaluation'> {
  const data = readingFor(model, given.dataset);
  if (data === undefined) throw new UsageError('give a DATASET to evaluate the model on');
  const fields = chosenFields(given, ['data', 'evaluation'], { data });
  return validateConfiguration(fields, `${data.dataset} with the given options`);
}
