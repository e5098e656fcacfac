import { z } from 'zod';
import { launchRanks } from '../children/ranks/launch.js';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';

/** What divides its work among ranks. */
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
    ['anyclass launch --processes 2 train --resume runs/sewer', 'resume, on any number of processes'],
  ],
  options: z.object({
    words: z
      .array(z.string())
      .min(1)
      .describe(`the command to run, with its own options: ${launchable.join(', ')}`),
    processes: z.int().positive().describe('processes, usually one per GPU'),
    restarts: z
      .int()
      .min(0)
      .default(0)
      .describe('restart all processes from the last checkpoint this many times when one dies'),
    timeout: z
      .number()
      .positive()
      .optional()
      .describe('seconds that a process waits for the others before it gives up; default 600')
      .meta({ placeholder: 'SECONDS' }),
  }),
  async run({ words, processes, restarts, timeout }, terminal) {
    const [name = ''] = words;
    if (!launchable.includes(name))
      throw new UsageError(`'${name}' cannot be divided among processes; ${launchable.join(', ')} can`);
    using interruption = interruptible(
      terminal,
      'waiting for the processes to save; once more to end at once',
    );
    const outcome = await launchRanks({
      words,
      places: { first: 0, processes, worldSize: processes, masterAddress: '127.0.0.1' },
      restarts,
      timeoutSeconds: timeout,
      note: terminal.note,
      signal: interruption.signal,
      kill: interruption.kill,
    });
    if (outcome.kind !== 'finished') {
      // As the rank that failed wrote it.
      const message = outcome.lines.join('\n').replace(/^anyclass: /, '');
      throw new UserError(message, { exitCode: outcome.exitCode });
    }
    return outcome;
  },
});
