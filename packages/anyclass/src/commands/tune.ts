import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { type StudyDisplay, studyDisplay } from '../commandLine/display/studyDisplay.js';
import { parseSettings } from '../commandLine/grammar/settings.js';
import { parseSearch } from '../commandLine/grammar/spaces.js';
import { interruptible } from '../commandLine/interruption.js';
import { shellLine } from '../commandLine/shellLine.js';
import type { Terminal } from '../commandLine/terminal.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { checkOutputFile, checkOutputFolder, writeOutput } from '../files/outputs.js';
import { writeWhole } from '../files/wholeFile.js';
import { studyPage } from '../reports/studyPage.js';
import { openLedger } from '../tuning/ledger.js';
import { metricText } from '../tuning/score.js';
import { readStudy, type StudySettings, studyMetrics } from '../tuning/study.js';
import { type StudyResult, studyResult, studyText } from '../tuning/studyResult.js';
import { trialConfiguration } from '../tuning/trainTrial.js';
import { tune as tuneStudy } from '../tuning/tune.js';
import { force } from './datasetOptions.js';
import { dataField, devicesField, ifGiven, processesField } from './trainingOptions.js';

const metricNames = [...studyMetrics, 'f1', 'f2'] as const;

// Few defaults here: the study provides what is not given.
const options = z.object({
  study: z.string().describe('study folder, new or existing'),
  config: z.string().optional().describe('base configuration of all trials; required for a new study'),
  data: dataField,
  set: z
    .array(z.string())
    .optional()
    .transform(ifGiven(parseSettings))
    .describe('set a field of all trials')
    .meta({ placeholder: 'FIELD=VALUE' }),
  search: z
    .array(z.string())
    .optional()
    .transform(ifGiven(parseSearch))
    .describe(
      'field to search: uniform(LOW,HIGH), log(…), int(…), logint(…) or choice(A,B,…); default α, λ, β, rate, decay and batch size',
    )
    .meta({ placeholder: 'FIELD=SPACE' }),
  metric: z
    .enum(metricNames)
    .optional()
    .describe('validation metric to optimize; default mAP')
    .meta({ placeholder: 'mAP|f1|f2|…' }),
  trials: z.int().positive().optional().describe('total number of trials; default 30; can be raised later'),
  workers: z.int().positive().default(1).describe('parallel trials'),
  devices: devicesField('devices to spread the workers over'),
  processes: processesField,
  seed: z.int().min(0).optional().describe('seed of the search; default 0'),
  eta: z.int().min(2).optional().describe('one in N trials survives each rung; default 3'),
  retries: z
    .int()
    .min(0)
    .optional()
    .describe('restarts of a trial whose process keeps dying before it completes an epoch; default 1'),
  minEpochs: z
    .int()
    .positive()
    .optional()
    .describe('epochs before the first rung; default the warm-up plus 1/27 of all epochs'),
  show: z.boolean().default(false).describe('only show the results so far'),
  export: z
    .string()
    .optional()
    .describe('only write the best configuration to this file')
    .meta({ placeholder: 'FILE' }),
  force,
  json: z.boolean().default(false).describe('print JSON'),
});

type Options = z.output<typeof options>;

export const tune = command({
  name: 'tune',
  summary: 'Search for good loss and training settings',
  positionals: [
    { field: 'study', placeholder: 'STUDY' },
    { field: 'config', placeholder: 'CONFIG|RECIPE' },
  ],
  examples: [
    ['anyclass tune studies/digits quick --trials 30', 'start a study'],
    ['anyclass tune studies/digits', 'resume the study; run this on several machines to share the work'],
    [
      "anyclass tune studies/pipes anyclass.json --search 'loss.lambda=log(0.005,1)' --search 'batchSize=choice(64,128,256)'",
      'search these fields',
    ],
    ['anyclass tune studies/pipes --workers 2 --devices cuda:0,cuda:1', 'two parallel trials'],
    ['anyclass tune studies/pipes --show', 'the best trials so far'],
    [
      'anyclass tune studies/pipes --export best.json && anyclass train best.json',
      'train with the best settings',
    ],
  ],
  options,
  async run(given, terminal) {
    const { study, show, export: file, json } = given;
    const isRead = show || file !== undefined;
    if (file !== undefined)
      checkOutputFile('--export', file, {
        kind: 'a configuration',
        inputs: [given.config, ...filesIn(study)],
        force: given.force,
      });
    if (!isRead) checkOutputFolder('STUDY', study);
    const result = isRead ? foundSoFar(study) : await search(given, terminal);
    if (file !== undefined) exportBest(file, result, terminal);
    if (file === undefined) {
      const made = join(study, 'study.html');
      writeWhole(made, studyPage(result));
      terminal.note(`wrote ${made}`);
    }
    if (json) terminal.print(JSON.stringify(result, null, 2));
    else if (file === undefined) terminal.print([studyText(result), ...trainingHint(result)].join('\n'));
    if (!isRead && !result.best) throw new UserError(`${study}: no trial has a result`);
    return result;
  },
});

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function foundSoFar(study: string): StudyResult {
  const settings = knownStudy(study);
  return studyResult(study, settings, openLedger(study, settings).state());
}

function knownStudy(study: string): StudySettings {
  const settings = readStudy(study);
  if (!settings) throw new UserError(`${study}: no study here; name a CONFIG or RECIPE to start one`);
  return settings;
}

/** Searches until all trials are done, or until Ctrl-C. */
async function search(given: Options, terminal: Terminal): Promise<StudyResult> {
  const { study, workers } = given;
  if (given.config === undefined && (given.data !== undefined || given.set !== undefined))
    throw new UsageError('--data and --set change a CONFIG or RECIPE; name it too');
  if (given.config === undefined && !readStudy(study))
    throw new UsageError(`${study} is a new study; name a CONFIG or RECIPE for it`);
  using interruption = interruptible(terminal);
  const { signal } = interruption;
  let display: StudyDisplay | undefined;
  using _display = { [Symbol.dispose]: () => display?.[Symbol.dispose]() };
  const result = await tuneStudy(
    study,
    { ...given, metric: metricOf(given.metric) },
    {
      signal,
      onOpen(settings, ledger) {
        display = studyDisplay(settings, ledger, workers);
      },
      onEvent: (event) => display?.onEvent(event),
    },
  );
  if (!signal.aborted) return result;
  throw new UserError(`${study}: the study is not finished; resume it`, {
    exitCode: interruption.exitCode(),
    next: { command: 'tune', options: { study } },
  });
}

function exportBest(file: string, { study, best }: StudyResult, terminal: Terminal): void {
  if (!best) throw new UserError(`${study}: no trial has a result yet`);
  const settings = knownStudy(study);
  const { metric } = settings;
  writeOutput('--export', file, `${JSON.stringify(trialConfiguration(settings, best.values), null, 2)}\n`);
  terminal.note(`wrote ${file}: trial ${best.trial}, ${metric} ${metricText(metric, best.value)}`);
}

/** The line that says how to train with the result; printed below the line of the best run. */
function trainingHint({ study, best }: StudyResult): string[] {
  const exporting = shellLine(['anyclass', 'tune', study, '--export', 'best.json']);
  return best ? [`train it     ${exporting} && anyclass train best.json`] : [];
}

function metricOf(name: Options['metric']): StudySettings['metric'] | undefined {
  if (name === 'f1') return 'macroF1';
  return name === 'f2' ? 'macroF2' : name;
}
