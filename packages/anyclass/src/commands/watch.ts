import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isLocked } from '@anyclass/files';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { liveLines } from '../commandLine/display/liveLines.js';
import { type WatchedRun, watchedRun } from '../commandLine/display/runWatch.js';
import { interruptible } from '../commandLine/interruption.js';
import { escaped } from '../errors/escaped.js';
import { resumeCommand, UserError } from '../errors/userError.js';
import { readEvents } from '../runs/eventLog.js';
import { isRunFolder, runPaths } from '../runs/runFolder.js';

const pollMilliseconds = 1000;

export const watch = command({
  name: 'watch',
  summary: 'Follow a run from another terminal: time left, and small curves',
  positionals: [{ field: 'run', placeholder: 'RUN' }],
  examples: [
    ['anyclass watch runs/sewer', 'until the run ends; Ctrl-C stops watching, not the run'],
    ['anyclass watch runs/sewer --once --json', 'how it stands now, for a program'],
  ],
  options: z.object({
    run: z.string().describe('a run folder'),
    once: z.boolean().default(false).describe('say how it stands now, and stop'),
    json: z.boolean().default(false).describe('print JSON when it stops watching'),
  }),
  async run({ run, once, json }, terminal) {
    if (!isRunFolder(run)) throw new UserError(`${run}: not a run (no config.json)`);
    const { events } = runPaths(run);
    const stand = () => {
      // Asked first, because a run that ends meanwhile has logged its end.
      const hasProcess = isLocked(join(run, 'lock'));
      return watchedRun(readEvents(events), hasProcess);
    };
    const last = once ? stand() : await followed(run, stand, terminal);
    terminal.print(json ? JSON.stringify(last, null, 2) : last.lines.join('\n'));
    if (last.state === 'finished') terminal.note(`report  ${run}/report.html`);
    if (last.state === 'interrupted' && !once)
      throw new UserError(`${run} was interrupted; resume it`, { next: resumeCommand(run) });
    if (last.state === 'lost' && !once)
      throw new UserError(`${run}: its process is gone, and said nothing; resume it`, {
        next: resumeCommand(run),
      });
    if (last.state === 'failed')
      throw new UserError(`${run} failed: ${last.message ?? 'no reason is logged'}`);
    return last;
  },
});

/** Shows how the run stands until it ends or the user stops watching. */
async function followed(
  run: string,
  stand: () => WatchedRun,
  terminal: Parameters<typeof interruptible>[0],
): Promise<WatchedRun> {
  using interruption = interruptible(terminal, 'Stopped watching; the run goes on');
  const { signal } = interruption;
  const { events } = runPaths(run);
  const live = liveLines();
  let size = -1;
  let now = stand();
  while (!signal.aborted) {
    if (!isRunFolder(run)) throw new UserError(`${run} was deleted or moved`);
    const written = statSync(events, { throwIfNoEntry: false })?.size ?? 0;
    if (written !== size || !isLocked(join(run, 'lock'))) {
      size = written;
      now = stand();
      live.show(() => now.lines.map(escaped));
    }
    if (now.state !== 'starting' && now.state !== 'running') break;
    await pause(pollMilliseconds, undefined, { signal }).catch(() => undefined);
  }
  live.end();
  return now;
}
