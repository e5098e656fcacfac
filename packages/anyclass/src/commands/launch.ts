import { z } from 'zod';
import { followMain, tellMain } from '../children/ranks/agent.js';
import { launchRanks } from '../children/ranks/launch.js';
import { launchMachines } from '../children/ranks/machines.js';
import type { LaunchOutcome } from '../children/ranks/rankEnds.js';
import { type AgentWork, dividedCommands, type LaunchWork, type RankWork } from '../children/work.js';
import { type Command, command } from '../commandLine/command.js';
import { commandHelp } from '../commandLine/help.js';
import { interruptible } from '../commandLine/interruption.js';
import { parseOptions } from '../commandLine/parse.js';
import type { Terminal } from '../commandLine/terminal.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';

/** The commands that can divide their work among ranks. */
const launchable = ['train', ...dividedCommands];

export const launch = command({
  name: 'launch',
  summary: 'Run a command as several processes that share its work',
  positionals: [{ field: 'words', placeholder: 'COMMAND…', rest: true, raw: true }],
  examples: [
    [
      'anyclass launch --processes 8 train paper/sewerml/tresnet-l --data sewerml=DIR',
      'a machine with 8 GPUs',
    ],
    [
      'anyclass launch --processes 4 --restarts 3 train config.json --run runs/sewer',
      'restart if a process dies',
    ],
    [
      'anyclass launch --machines node1,node2 --processes 8 train config.json --run runs/sewer',
      'two machines with 8 GPUs each, over ssh',
    ],
    ['anyclass launch --processes 2 train --resume runs/sewer', 'resume, on any number of processes'],
  ],
  options: z.object({
    words: z
      .array(z.string())
      .min(1)
      .describe(`the command to run, with its own options: ${launchable.join(', ')}`),
    processes: z.int().positive().describe('processes on each machine, usually one per GPU'),
    machines: z
      .string()
      .optional()
      .describe(
        'machines to use; each must have the program and this folder at the same paths; default only this one',
      )
      .meta({ placeholder: 'HOST1,HOST2' }),
    remoteShell: z
      .string()
      .default('ssh')
      .describe('program that runs a command on another machine')
      .meta({ placeholder: 'COMMAND' }),
    restarts: z
      .int()
      .min(0)
      .default(0)
      .describe('how many times to restart all processes from the last checkpoint when one dies'),
    timeout: z
      .number()
      .positive()
      .optional()
      .describe('seconds that a process waits for the others before giving up; default 600')
      .meta({ placeholder: 'SECONDS' }),
  }),
  async run({ words, processes, machines, remoteShell, restarts, timeout }, terminal) {
    const [name = '', ...rest] = words;
    const loaded = await dividedCommand(name);
    if (rest.some((word) => word === '--help' || word === '-h')) {
      terminal.print(commandHelp(loaded.command));
      return undefined;
    }
    const work = await loaded.work(rest);
    const common = { restarts, timeoutSeconds: timeout };
    if (machines === undefined) return launchHere({ kind: 'launch', processes, work }, terminal, common);
    return supervised(terminal, (control) =>
      launchMachines({
        ...control,
        ...common,
        work,
        machines: machines.split(',').map((machine) => machine.trim()),
        processes,
        remoteShell,
      }),
    );
  },
});

/** Runs ranks on this machine. */
export async function launchHere(
  { processes, work }: LaunchWork,
  terminal: Terminal,
  {
    restarts = 0,
    timeoutSeconds,
  }: { readonly restarts?: number; readonly timeoutSeconds?: number | undefined } = {},
): Promise<LaunchOutcome> {
  const places = { first: 0, processes, worldSize: processes, masterAddress: '127.0.0.1' };
  return supervised(terminal, (control) =>
    launchRanks({ ...control, restarts, timeoutSeconds, work, places }),
  );
}

/** Runs this machine's ranks on behalf of a launcher on another machine. */
export async function launchForMain(
  { places, timeoutSeconds, work }: AgentWork,
  terminal: Terminal,
): Promise<LaunchOutcome> {
  const [asked, gone] = [new AbortController(), new AbortController()];
  using _main = followMain(
    () => asked.abort(),
    () => gone.abort(),
  );
  using interruption = interruptible(terminal, waiting);
  const outcome = await launchRanks({
    ...{ places, timeoutSeconds, work, restarts: 0, note: terminal.note },
    isDebugging: terminal.isDebugging ?? false,
    signal: AbortSignal.any([interruption.signal, asked.signal]),
    kill: AbortSignal.any([interruption.kill, gone.signal]),
    onEvent(event) {
      if (event.type === 'started' || event.type === 'saved') tellMain({ kind: 'event', event });
    },
  });
  if (outcome.kind === 'finished') return outcome;
  const { lines, exitCode } = outcome;
  const isMistake = outcome.kind === 'interrupted' || !outcome.isWorthRestart;
  const code = outcome.kind === 'failed' ? outcome.code : undefined;
  tellMain({ kind: 'rank failure', lines, exitCode, isMistake, code });
  process.exitCode = exitCode;
  return outcome;
}

const waiting = 'Waiting for the processes to save; press Ctrl-C again to quit immediately';

interface Control {
  readonly isDebugging: boolean;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
}

/** Launches with Ctrl-C passed on; throws what the failed rank wrote. */
async function supervised(
  terminal: Terminal,
  launching: (control: Control) => Promise<LaunchOutcome>,
): Promise<LaunchOutcome> {
  using interruption = interruptible(terminal, waiting);
  const { signal, kill } = interruption;
  const outcome = await launching({
    isDebugging: terminal.isDebugging ?? false,
    note: terminal.note,
    signal,
    kill,
  });
  if (outcome.kind === 'finished') return outcome;
  // The lines are what the failed rank wrote, prefix included.
  const message = outcome.lines.join('\n').replace(/^anyclass: /, '');
  // Ranks are asked to save with SIGINT, whichever signal we got.
  const isAsked = outcome.kind === 'interrupted' && signal.aborted;
  throw new UserError(message, { exitCode: isAsked ? interruption.exitCode() : outcome.exitCode });
}

/** A command that ranks can share, and its work for given arguments. */
async function dividedCommand(name: string) {
  if (name === 'train') {
    const { train, trainWork } = await import('./train.js');
    return {
      command: train,
      work: async (words: readonly string[]): Promise<RankWork> => trainWork(parseOptions(train, words)),
    };
  }
  const kind = dividedCommands.find((each) => each === name);
  if (kind === undefined)
    throw new UsageError(
      `'${name}' cannot be divided among processes; expected one of ${launchable.join(', ')}`,
    );
  const divided = await loadDivided(kind);
  return {
    command: divided,
    work: async (words: readonly string[]): Promise<RankWork> => ({
      kind,
      options: parseOptions(divided, words),
    }),
  };
}

/** Loads a command whose work ranks divide. */
export async function loadDivided(kind: (typeof dividedCommands)[number]): Promise<Command> {
  switch (kind) {
    case 'evaluate':
      return (await import('./evaluate.js')).evaluate;
    case 'predict':
      return (await import('./predict.js')).predict;
    case 'embed':
      return (await import('./embed.js')).embed;
    case 'prepare':
      return (await import('./prepare.js')).prepare;
  }
}
