import { z } from 'zod';
import { connectParent } from '../children/parentLink.js';
import type { TrainWork } from '../children/work.js';
import { command } from '../commandLine/command.js';
import { type Interruption, interruptible } from '../commandLine/interruption.js';
import { nextLine } from '../commandLine/shellLine.js';
import type { Terminal } from '../commandLine/terminal.js';
import { type ConfigurationField, configurationFields } from '../configuration/reference.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { UsageError } from '../errors/usageError.js';
import { resumeCommand, UserError } from '../errors/userError.js';
import type { RunSummary } from '../events/runSummary.js';
import { checkOutputFolder } from '../files/outputs.js';
import { isFeatureNetwork, isNetworkName, networkNames } from '../networks/catalog.js';
import { summaryText } from '../reports/judgmentText.js';
import type { TrainingResult, TrainOptions } from '../training/activeRun.js';
import { readConfiguration } from '../training/readConfiguration.js';
import { resumeRun } from '../training/resumeRun.js';
import { trainRun } from '../training/trainRun.js';
import { resumeAndReport, trainAndReport } from '../workflows/trainAndReport.js';
import { settingOption } from './datasetOptions.js';
import { configText, dataField } from './trainingOptions.js';

/** The exit code when the parent process stops the run: the same as after Ctrl-C. */
const stoppedByParent = 130;

const options = z.object({
  config: z.string().optional().describe(configText),
  data: dataField,
  network: z
    .enum(networkNames)
    .optional()
    .describe('network to train; `anyclass networks` lists them')
    .meta({ placeholder: 'NAME' }),
  weights: z
    .string()
    .optional()
    .describe(
      'weights to start from: a file, a run, or a name of `anyclass weights list`; without CONFIG, with the recipe fine-tuning',
    )
    .meta({ placeholder: 'FILE|NAME' }),
  set: settingOption('set a field by its dotted name; --fields lists them'),
  run: z
    .string()
    .optional()
    .describe('run folder; default a new folder in runs')
    .meta({ placeholder: 'DIR' }),
  minutes: z
    .number()
    .positive()
    .optional()
    .describe(
      'shorten the run to fit into this time, by the speed measured first: fewer epochs, or fewer images',
    ),
  resume: z.string().optional().describe('resume this run').meta({ placeholder: 'RUN' }),
  fields: z.boolean().default(false).describe('list the configuration fields and their defaults, and exit'),
  json: z.boolean().default(false).describe('print JSON'),
});

export const train = command({
  name: 'train',
  summary: 'Train a network and evaluate it',
  positionals: [{ field: 'config', placeholder: 'CONFIG|RECIPE' }],
  examples: [
    ['anyclass train quick', "the embedded dataset 'digits' with a small network"],
    ['anyclass train quick --data pipes.csv --set epochs=20', 'your own table of images'],
    ['anyclass train strong --data pipes.csv --minutes 30', 'what can be learned in half an hour here'],
    [
      'anyclass train --data pipes.csv --network convnext-t --weights convnext_tiny-983f1562.pth',
      'train further from a file of torchvision, timm or Hugging Face, as is usual for the network',
    ],
    ['anyclass train paper/sewerml/tresnet-l --data sewerml=DIR', "the paper's setup"],
    ['anyclass train --resume runs/sewer', 'resume an interrupted run'],
  ],
  options,
  async run(given, terminal) {
    if (given.fields) {
      const all = configurationFields();
      terminal.print(given.json ? JSON.stringify(all, null, 2) : fieldList(all));
      return all;
    }
    const { minutes, ...untimed } = given;
    if (minutes !== undefined && given.resume !== undefined)
      throw new UsageError('cannot be combined with --resume, whose configuration stays', 'minutes');
    return trainHere(await trainWork(untimed), terminal, minutes);
  },
});

/** Turns options into the work of one or several processes; reads the configuration. */
export async function trainWork(given: z.output<typeof options>): Promise<TrainWork> {
  const { data, run, resume, fields, json, network, weights, minutes } = given;
  const isFineTuning = given.config === undefined && resume === undefined && weights !== undefined;
  const config = isFineTuning ? 'fine-tuning' : given.config;
  const set = {
    ...(network !== undefined && { 'network.name': network }),
    ...(weights !== undefined && { 'network.weights': weights }),
    ...given.set,
  };
  if (fields) throw new UsageError('--fields trains nothing that processes could share');
  if (minutes !== undefined) throw new UsageError('measures one process; set epochs instead', 'minutes');
  if ((config === undefined) === (resume === undefined)) {
    throw new UsageError(
      'give a CONFIG or RECIPE, or --weights, to start a run, or --resume RUN to resume one',
    );
  }
  if (config === undefined || resume !== undefined) {
    if (data !== undefined || Object.keys(set).length > 0 || run !== undefined) {
      throw new UsageError(
        '--resume uses the configuration of the run and cannot be combined with --data, --network, --weights, --set or --run',
      );
    }
    return { kind: 'train', run: { resume: resume ?? '' }, json };
  }
  if (run !== undefined) checkOutputFolder('--run', run);
  const configuration = await readConfiguration(config, { dataset: data, set });
  return { kind: 'train', run: { configuration, folder: run }, json };
}

/** Trains in this process, and reports to the one that started it, if any. */
export async function trainHere(
  { run, json, isPart = false }: TrainWork,
  terminal: Terminal,
  minutes?: number,
): Promise<TrainingResult> {
  using parent = connectParent();
  using interruption = interruptible(terminal);
  try {
    const how: TrainOptions = {
      onEvent(event) {
        terminal.onEvent(event);
        parent?.emit(event);
      },
      signal: parent ? AbortSignal.any([interruption.signal, parent.signal]) : interruption.signal,
      onEpoch: parent?.onEpoch,
      intervals: !isPart,
    };
    const [start, resume] = isPart ? [trainRun, resumeRun] : [trainAndReport, resumeAndReport];
    const result =
      'resume' in run
        ? await resume(run.resume, how)
        : await start(await timed(run.configuration, minutes, how, interruption), {
            ...how,
            run: run.folder,
          });
    if (result.isFinishedElsewhere) return result;
    if (!result.summary) {
      const exitCode = interruption.signal.aborted ? interruption.exitCode() : stoppedByParent;
      throw new UserError('The run is not finished; resume it', {
        exitCode,
        next: resumeCommand(result.folder),
      });
    }
    terminal.print(
      json ? JSON.stringify(result, null, 2) : summaryText(result.folder, result.summary, !isPart),
    );
    if (!json && !isPart) terminal.note(nextSteps(result.folder, result.summary));
    return result;
  } catch (error) {
    parent?.fail('resume' in run ? run.resume : (run.folder ?? ''), error);
    throw error;
  }
}

/** The configuration, shortened to fit into the minutes, if there is a limit. */
async function timed(
  configuration: ConfigurationInput,
  minutes: number | undefined,
  how: TrainOptions,
  interruption: Interruption,
): Promise<ConfigurationInput> {
  if (minutes === undefined) return configuration;
  const { fitMinutes } = await import('../recommendation/timedRun.js');
  const fitted = await fitMinutes(configuration, minutes, how);
  if (interruption.signal.aborted)
    throw new UserError('Interrupted before training began', { exitCode: interruption.exitCode() });
  return fitted;
}

/** What a finished run is for. */
export function nextSteps(folder: string, { network }: Pick<RunSummary, 'network'>): string {
  if (isNetworkName(network) && isFeatureNetwork(network))
    return nextLine(['predict', folder, 'TABLE'], ['serve', folder]);
  return nextLine(
    ['predict', folder, 'PHOTOS'],
    ['explain', folder, 'PHOTO', '--out', 'heat'],
    ['serve', folder],
  );
}

function fieldList(fields: readonly ConfigurationField[]): string {
  const width = Math.max(...fields.map(({ name }) => name.length));
  return fields
    .map(({ name, kind, defaultText, description }) => {
      const values = kind === 'string' ? '' : ` [${kind}]`;
      return `${name.padEnd(width)}  ${description}${values}${defaultText === '' ? '' : ` (default ${defaultText})`}`;
    })
    .join('\n');
}
