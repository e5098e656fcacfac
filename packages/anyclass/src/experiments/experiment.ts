// An experiment from plan to finished runs.

import { mkdirSync } from 'node:fs';
import { engineBuild } from '@anyclass/torch/builds';
import {
  type ChildDevice,
  freeGpuMemory,
  isMpsRunning,
  type RunDevices,
  runDevices,
} from '../children/devices.js';
import { counted } from '../errors/counted.js';
import type { RunEventListener } from '../events/runEvent.js';
import { lockRun } from '../runs/runLock.js';
import type { PlannedRun } from './plannedRun.js';
import { prepareCaches } from './prepareCaches.js';
import { planRows, type RunRow, runAll } from './runAll.js';
import { countsFewer } from './runState.js';

export interface ExperimentSettings extends RunDevices {
  readonly out: string;
  /** How many runs to train side by side on each device. */
  readonly jobs?: number | undefined;
  /** Skips preparing caches. */
  readonly noPrepare?: boolean;
}

export interface ExperimentControl {
  readonly onEvent?: RunEventListener;
  /** When aborted, active runs save a checkpoint and stop, and no new run starts. */
  readonly signal?: AbortSignal;
  /** When aborted, runs stop immediately. */
  readonly kill?: AbortSignal;
}

export interface ExperimentRuns {
  /** Folders of the finished runs. */
  readonly folders: readonly string[];
  /** Runs that failed or were interrupted. */
  readonly unfinished: readonly RunRow[];
}

/**
 * Trains all runs of a plan that are not finished yet. Call it again to resume after an interruption.
 *
 * @example
 * const { folders, unfinished } = await runExperiment(plan, { out: 'comparisons/coco' });
 */
export async function runExperiment(
  plan: readonly PlannedRun[],
  { out, jobs, devices, processes, noPrepare = false }: ExperimentSettings,
  control: ExperimentControl = {},
): Promise<ExperimentRuns> {
  const { onEvent = () => {}, signal = never, kill = never } = control;
  const note = (text: string) => onEvent({ type: 'note', text });
  const chosen = runDevices({ devices, processes }, plan[0]!.configuration);
  mkdirSync(out, { recursive: true });
  using _lock = lockRun(out);
  const rows = planRows(plan);
  const missing = rows.filter(({ row }) => row.state !== 'reused');
  // Report a missing engine once and now, not from every run.
  if (missing.length > 0) engineBuild();
  note(
    `${counted(rows.length, 'run')} in ${out}: ${rows.length - missing.length} already finished and reused, ${missing.length} to train`,
  );
  const fewer = plan.filter(countsFewer);
  if (fewer.length > 0)
    note(
      `The promise in ${counted(fewer.length, 'run')}, such as ${fewer[0]!.name}, counts fewer runs than are compared now; to use one, refit its decision with ${fewer[0]!.configuration.evaluation.decision.candidates} candidates`,
    );
  if (missing.length > 1 && jobs !== 1 && takesTurns(chosen)) {
    note(
      "Runs that share a GPU take turns unless NVIDIA's MPS is running; to train faster, start it first: nvidia-cuda-mps-control -d",
    );
  }
  if (missing.length > 0 && !noPrepare) {
    const configurations = missing.map(({ planned }) => planned.configuration);
    await prepareCaches(configurations, onEvent, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  if (missing.length > 0)
    await runAll(rows, { out, devices: chosen, processes, jobs, signal, kill, onEvent });
  const isDone = ({ row: { state } }: RunRow) => state === 'finished' || state === 'reused';
  return {
    folders: rows.filter(isDone).map(({ planned }) => planned.folder),
    unfinished: rows.filter((row) => !isDone(row)),
  };
}

const never = new AbortController().signal;

function takesTurns(devices: readonly ChildDevice[]): boolean {
  const hasGpu = devices.some(({ gpu }) => gpu !== undefined && freeGpuMemory(gpu) !== undefined);
  return hasGpu && !isMpsRunning();
}
