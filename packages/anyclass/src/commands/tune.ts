import { z } from 'zod';
import { type ChildDevice, listedDevices } from '../children/devices.js';
import { command } from '../commandLine/command.js';
import { studyDisplay } from '../commandLine/display/studyDisplay.js';
import { interruptible } from '../commandLine/interruption.js';
import { shellLine } from '../commandLine/shellLine.js';
import type { Terminal } from '../commandLine/terminal.js';
import { readConfiguration } from '../configuration/readConfiguration.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { checkOutputFile, checkOutputFolder, writeOutput } from '../files/outputs.js';
import { absolutePaths } from '../runs/runFolder.js';
import { defaultMinEpochs } from '../tuning/halving.js';
import { type Ledger, openLedger } from '../tuning/ledger.js';
import { metricText } from '../tuning/score.js';
import { checkSearch, defaultSearch, parseSearch } from '../tuning/searchSpace.js';
import { createStudy, readStudy, refuseChange, type StudySettings, studyMetrics } from '../tuning/study.js';
import { type StudyResult, studyResult, studyText } from '../tuning/studyResult.js';
import { trainTrial, trialConfiguration } from '../tuning/trainTrial.js';
import { work } from '../tuning/work.js';
import { dataField } from './trainingOptions.js';

const metricNames = [...studyMetrics, 'f1', 'f2'] as const;

// No defaults here: what is not given is as the study has it.
const options = z.object({
  study: z.string().describe('study folder, new or existing'),
  config: z.string().optional().describe('base configuration of all trials; required for a new study'),
  data: dataField,
  set: z
    .array(z.string())
    .optional()
    .describe('change a field of all trials')
    .meta({ placeholder: 'FIELD=VALUE' }),
  search: z
    .array(z.string())
    .optional()
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
  devices: z
    .string()
    .optional()
    .describe('devices to spread the workers over')
    .meta({ placeholder: 'cuda:0,cuda:1' }),
  seed: z.int().min(0).optional().describe('seed of the search; default 0'),
  eta: z.int().min(2).optional().describe('one in N trials survives each rung; default 3'),
  minEpochs: z
    .int()
    .positive()
    .optional()
    .describe('epochs before the first rung; default 1/27 of all epochs, after the warm-up'),
  show: z.boolean().default(false).describe('only show the results so far'),
  export: z
    .string()
    .optional()
    .describe('only write the best configuration to this file')
    .meta({ placeholder: 'FILE' }),
  json: z.boolean().default(false).describe('print JSON'),
});

type Options = z.output<typeof options>;

export const tune = command({
  name: 'tune',
  summary: 'Search for good settings of the loss and the training',
  positionals: [
    { field: 'study', placeholder: 'STUDY' },
    { field: 'config', placeholder: 'CONFIG|RECIPE' },
  ],
  examples: [
    ['anyclass tune studies/digits quick --trials 30', 'start a study'],
    ['anyclass tune studies/digits', 'resume it; run on several machines to share the work'],
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
    if (file !== undefined) checkOutputFile('--export', file);
    if (!isRead) checkOutputFolder('STUDY', study);
    const devices = given.devices === undefined ? undefined : listedDevices(given.devices);
    const settings = await settingsOf(given, isRead);
    const ledger = openLedger(study, settings);
    if (!isRead) await workOn({ ...given, devices }, settings, ledger, terminal);
    const result = studyResult(study, settings, ledger.state());
    if (file !== undefined) exportBest(file, settings, result, terminal);
    if (json) terminal.print(JSON.stringify(result, null, 2));
    else if (file === undefined) terminal.print([studyText(result), ...trainingHint(result)].join('\n'));
    if (!isRead && !result.best) throw new UserError(`${study}: no trial has a result`);
    return result;
  },
});

/** Until all trials are over, or Ctrl-C. */
async function workOn(
  {
    study,
    trials,
    workers,
    devices,
  }: Omit<Options, 'devices'> & {
    readonly devices: readonly ChildDevice[] | undefined;
  },
  settings: StudySettings,
  ledger: Ledger,
  terminal: Terminal,
): Promise<void> {
  if (trials !== undefined || ledger.state().goal === 0) await ledger.setGoal(trials ?? 30);
  using interruption = interruptible(terminal);
  using display = studyDisplay(settings, ledger, workers);
  const objective = trainTrial(study, settings, {
    workers,
    ...(devices && { devices }),
  });
  const { signal } = interruption;
  await work(study, settings, { workers, objective, signal, onEvent: display.onEvent });
  if (signal.aborted) {
    throw new UserError(`${study}: the study is not finished; resume it`, {
      exitCode: interruption.exitCode(),
      next: { command: 'tune', options: { study } },
    });
  }
}

function exportBest(
  file: string,
  settings: StudySettings,
  { study, best }: StudyResult,
  terminal: Terminal,
): void {
  if (!best) throw new UserError(`${study}: no trial has a result yet`);
  const { metric } = settings;
  writeOutput('--export', file, `${JSON.stringify(trialConfiguration(settings, best.values), null, 2)}\n`);
  terminal.note(`wrote ${file}: trial ${best.trial}, ${metric} ${metricText(metric, best.value)}`);
}

/** How to train with what was found: a line below that of the best run. */
function trainingHint({ study, best }: StudyResult): string[] {
  const exporting = shellLine(['anyclass', 'tune', study, '--export', 'best.json']);
  return best ? [`train it     ${exporting} && anyclass train best.json`] : [];
}

/** The settings of the study, which is made where it is new; what is given and differs is refused. */
async function settingsOf(given: Options, isRead: boolean): Promise<StudySettings> {
  const { study, config, data, set, search, seed, eta, minEpochs } = given;
  const known = readStudy(study);
  if (!known && isRead) throw new UserError(`${study}: no study here; name a CONFIG or RECIPE to start one`);
  if (config === undefined && (data !== undefined || set !== undefined))
    throw new UsageError('--data and --set change a CONFIG or RECIPE; name it too');
  const configuration =
    config === undefined
      ? known?.configuration
      : absolutePaths(await readConfiguration(config, { dataset: data, set: set ?? [] }));
  if (!configuration) throw new UsageError(`${study} is a new study; name a CONFIG or RECIPE for it`);
  const texts = search ? parseSearch(search, configuration) : known?.search;
  const settings: StudySettings = {
    configuration,
    search: texts ?? defaultSearch(configuration),
    metric: metricOf(given.metric) ?? known?.metric ?? 'mAP',
    seed: seed ?? known?.seed ?? 0,
    eta: eta ?? known?.eta ?? 3,
    minEpochs: minEpochs ?? known?.minEpochs ?? defaultMinEpochs(configuration),
  };
  if (known) {
    refuseChange(study, known, settings);
    return known;
  }
  checkSearch(settings);
  await createStudy(study, settings);
  return settings;
}

function metricOf(name: Options['metric']): StudySettings['metric'] | undefined {
  if (name === 'f1') return 'macroF1';
  return name === 'f2' ? 'macroF2' : name;
}
