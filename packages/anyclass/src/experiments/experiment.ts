// An experiment from plan to finished runs, with Ctrl-C in between.

import { mkdirSync } from 'node:fs';
import {
  type ChildDevice,
  configuredDevice,
  freeGpuMemory,
  isMpsRunning,
  listedDevices,
} from '../children/devices.js';
import { interruptible } from '../commandLine/interruption.js';
import type { Terminal } from '../commandLine/terminal.js';
import { UserError } from '../errors/userError.js';
import { lockRun } from '../runs/runLock.js';
import { type LiveOutput, liveTable } from './liveTable.js';
import type { PlannedRun } from './plan.js';
import { prepareCaches } from './prepareCaches.js';
import { failureText } from './results.js';
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
  const chosen = devices === undefined ? [configuredDevice(plan[0]!.configuration)] : listedDevices(devices);
  mkdirSync(out, { recursive: true });
  using _lock = lockRun(out);
  const rows = planRows(plan);
  const missing = rows.filter(({ state }) => state !== 'reused');
  terminal.note(
    `${rows.length} runs below ${out}: ${rows.length - missing.length} are finished and reused, ${missing.length} to go`,
  );
  if (missing.length > 1 && jobs !== 1 && takesTurns(chosen)) {
    terminal.note(
      "runs beside one another on a GPU take turns without NVIDIA's MPS; to gain by it, start it first: nvidia-cuda-mps-control -d",
    );
  }
  using interruption = interruptible(
    terminal,
    'the runs save their checkpoints; once more to end them at once',
  );
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
      { exitCode: interruption.exitCode() },
    );
  }
  return {
    folders: rows.flatMap(({ state, planned }) =>
      state === 'finished' || state === 'reused' ? [planned.folder] : [],
    ),
    failed: rows.filter(({ state }) => state !== 'finished' && state !== 'reused'),
  };
}

function takesTurns(devices: readonly ChildDevice[]): boolean {
  const hasGpu = devices.some(({ gpu }) => gpu !== undefined && freeGpuMemory(gpu) !== undefined);
  return hasGpu && !isMpsRunning();
}
