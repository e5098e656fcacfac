import { z } from 'zod';
import { agentPlaces, followMain, tellMain } from '../children/ranks/agent.js';
import { type LaunchOptions, launchRanks } from '../children/ranks/launch.js';
import { launchMachines } from '../children/ranks/machines.js';
import type { LaunchOutcome } from '../children/ranks/rankEnds.js';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';

/** The commands that can divide their work among ranks. */
const launchable = ['train', 'evaluate', 'predict', 'embed', 'prepare'];

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
    const [name = ''] = words;
    if (!launchable.includes(name))
      throw new UsageError(
        `'${name}' cannot be divided among processes; expected one of ${launchable.join(', ')}`,
      );
    using interruption = interruptible(
      terminal,
      'Waiting for the processes to save; press Ctrl-C again to quit immediately',
    );
    const { signal, kill } = interruption;
    const common = { words, restarts, timeoutSeconds: timeout, note: terminal.note };
    const places = agentPlaces();
    if (places) return await asAgent({ ...common, places, signal, kill });
    const outcome =
      machines === undefined
        ? await launchRanks({
            ...common,
            places: { first: 0, processes, worldSize: processes, masterAddress: '127.0.0.1' },
            signal,
            kill,
          })
        : await launchMachines({
            ...common,
            machines: machines.split(',').map((name) => name.trim()),
            processes,
            remoteShell,
            signal,
            kill,
          });
    if (outcome.kind !== 'finished') {
      // The lines are what the failed rank wrote, prefix included.
      const message = outcome.lines.join('\n').replace(/^anyclass: /, '');
      throw new UserError(message, { exitCode: outcome.exitCode });
    }
    return outcome;
  },
});

/** Runs this machine's ranks on behalf of a launcher on another machine. */
async function asAgent(options: LaunchOptions): Promise<LaunchOutcome> {
  const [asked, gone] = [new AbortController(), new AbortController()];
  using _main = followMain(
    () => asked.abort(),
    () => gone.abort(),
  );
  const outcome = await launchRanks({
    ...options,
    signal: AbortSignal.any([options.signal, asked.signal]),
    kill: AbortSignal.any([options.kill, gone.signal]),
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
