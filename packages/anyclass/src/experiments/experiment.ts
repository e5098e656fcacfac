// An experiment from plan to finished runs, with Ctrl-C in between.

import { mkdirSync } from 'node:fs';
import type { Terminal } from '../commandLine/terminal.js';
import { lockRun } from '../runFolder/runLock.js';
import { UserError } from '../userError.js';
import { type Comparison, compareRuns } from './comparison.js';
import { experimentDevices } from './devices.js';
import { type LiveOutput, liveTable } from './liveTable.js';
import type { PlannedRun } from './plan.js';
import { prepareCaches } from './prepareCaches.js';
import { readRun } from './readRuns.js';
import { planRows, type RunRow, runAll } from './runAll.js';

export interface ExperimentSettings {
  readonly out: string;
  readonly jobs?: number | undefined;
  /** Such as `cuda:0,cuda:1`. */
  readonly devices?: string | undefined;
  /** Leave caches as they are. */
  readonly noPrepare: boolean;
}

/**
 * Makes all runs of a plan, or what is missing of them.
 *
 * @returns the finished runs' folders, and the rows of those that failed
 * @throws UserError with exit code 130 or 143 after Ctrl-C or SIGTERM, when all runs have saved
 *
 * @example
 * const { folders, failed } = await runExperiment(plan, { out: 'comparisons/coco', noPrepare: false }, terminal);
 */
export async function runExperiment(
  plan: readonly PlannedRun[],
  { out, jobs, devices, noPrepare }: ExperimentSettings,
  terminal: Terminal,
  output: LiveOutput = process.stderr,
): Promise<{ readonly folders: readonly string[]; readonly failed: readonly RunRow[] }> {
  const chosen = experimentDevices(devices, plan[0]!.configuration);
  mkdirSync(out, { recursive: true });
  using _lock = lockRun(out);
  const rows = planRows(plan);
  const missing = rows.filter(({ state }) => state !== 'reused');
  terminal.note(
    `${rows.length} runs below ${out}: ${rows.length - missing.length} are finished and reused, ${missing.length} to go`,
  );
  using interruption = interruptible(terminal);
  const { signal, kill } = interruption;
  if (missing.length > 0 && !noPrepare) {
    await prepareCaches(
      missing.map(({ planned }) => planned.configuration),
      terminal,
      signal,
    ).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  if (missing.length > 0) {
    const table = liveTable(output);
    signal.addEventListener('abort', () => table.leave());
    await runAll(rows, {
      out,
      devices: chosen,
      jobs,
      signal,
      kill,
      onChange: (row, all) => table.update(row, all),
    });
    table.finish(rows);
  }
  if (signal.aborted) {
    const broken = rows.filter(({ state }) => state === 'failed');
    throw new UserError(
      broken.length > 0
        ? failureText(broken)
        : 'interrupted; all runs are saved. The same command goes on with them',
      interruption.exitCode(),
    );
  }
  return {
    folders: rows.flatMap(({ state, planned }) =>
      state === 'finished' || state === 'reused' ? [planned.folder] : [],
    ),
    failed: rows.filter(({ state }) => state !== 'finished' && state !== 'reused'),
  };
}

/** The comparison of an experiment's runs, with a bar for the bootstrap. */
export async function compareFolders(
  folders: readonly string[],
  replicates: number,
  terminal: Pick<Terminal, 'progress'>,
): Promise<Comparison> {
  const runs = folders.map(readRun);
  const datasets = new Set(runs.map(({ dataset }) => dataset)).size;
  let bar: ReturnType<Terminal['progress']> | undefined;
  const comparison = await compareRuns(runs, {
    replicates,
    onDraw: () => {
      bar ??= terminal.progress('comparing', datasets * replicates, 'draws');
      bar.advance(1);
    },
  });
  bar?.finish();
  return comparison;
}

/** The last lines of every run that failed, and how many there are. */
export function failureText(failed: readonly RunRow[]): string {
  return [
    ...failed.map(
      ({ planned, lastLines, state }) =>
        `${planned.name} ${state === 'failed' ? 'failed' : `was ${state}`}:\n${lastLines.map((line) => `  ${line}`).join('\n')}`,
    ),
    `${failed.length} ${failed.length === 1 ? 'run is' : 'runs are'} not finished; the same command goes on with ${failed.length === 1 ? 'it' : 'them'}`,
  ].join('\n');
}

interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
  exitCode(): number;
}

/** The first Ctrl-C (or SIGTERM) lets all runs save and end, a second one ends them at once. */
function interruptible(terminal: Terminal): Interruption {
  const [saving, ending] = [new AbortController(), new AbortController()];
  let code = 1;
  const stop = (number: number) => () => {
    code = 128 + number;
    if (saving.signal.aborted) {
      ending.abort();
      process.exit(code);
    }
    terminal.note('\nthe runs save their checkpoints; once more to end them at once');
    saving.abort();
  };
  const [onInterrupt, onTerminate] = [stop(2), stop(15)];
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  return {
    signal: saving.signal,
    kill: ending.signal,
    exitCode: () => code,
    [Symbol.dispose]() {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
    },
  };
}
