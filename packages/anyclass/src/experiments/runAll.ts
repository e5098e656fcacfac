// All runs of a plan, side by side where there is room; each is a process of its own.

import { join } from 'node:path';
import { createAdmission } from '../children/admission.js';
import { type ChildDevice, sharedCores } from '../children/devices.js';
import { readEpochs } from '../runs/metricsLog.js';
import { runPaths } from '../runs/runFolder.js';
import { type ChildProgress, progressAfter } from './childProgress.js';
import type { PlannedRun } from './plan.js';
import { isBusy, runState } from './runState.js';
import { startTraining, type TrainingProcess } from './trainingProcess.js';

/** A run of the plan as it stands. */
export interface RunRow {
  readonly planned: PlannedRun;
  /** 'elsewhere' while another process works on it: it is waited for. */
  state: 'waiting' | 'elsewhere' | 'running' | 'finished' | 'reused' | 'failed' | 'interrupted';
  progress: ChildProgress;
  /** When this process began or resumed it, and how far it was then, in epochs. */
  started: { readonly at: number; readonly epochs: number } | undefined;
  seconds: number;
  lastLines: readonly string[];
}

export interface RunAllOptions {
  readonly out: string;
  readonly devices: readonly ChildDevice[];
  /** On each device; default as memory allows. */
  readonly jobs?: number | undefined;
  /** Aborted: runs save a checkpoint and end, no other begins. */
  readonly signal: AbortSignal;
  /** Aborted: runs end at once. */
  readonly kill: AbortSignal;
  /** Called when a row changed. */
  readonly onChange: (row: RunRow, rows: readonly RunRow[]) => void;
}

const lookEvery = 1000;

/** The rows of a plan before anything begins; a folder that holds another run is refused. */
export function planRows(plan: readonly PlannedRun[]): RunRow[] {
  return plan.map((planned) => {
    const isFinished = runState(planned) === 'finished';
    return {
      planned,
      state: isFinished ? 'reused' : 'waiting',
      progress: knownProgress(planned),
      started: undefined,
      seconds: 0,
      lastLines: [],
    };
  });
}

/**
 * Runs all rows that wait to their end, failure or interruption.
 *
 * @example
 * await runAll(rows, { out, devices, signal, kill, onChange: (row) => console.error(row.planned.name, row.state) });
 */
export async function runAll(rows: readonly RunRow[], options: RunAllOptions): Promise<void> {
  const { devices, jobs, signal, kill, onChange } = options;
  const slots = devices.map((device) => ({
    device,
    admission: createAdmission(device, jobs),
    running: new Map<RunRow, TrainingProcess>(),
  }));
  const children = () => slots.flatMap(({ running }) => [...running.values()]);
  const stop = () => children().forEach((child) => void child.stop());
  const end = () => children().forEach((child) => void child.kill());
  signal.addEventListener('abort', stop);
  kill.addEventListener('abort', end);
  try {
    const ending: Promise<unknown>[] = [];
    while (true) {
      for (const row of rows) lookElsewhere(row, () => onChange(row, rows));
      for (const slot of signal.aborted ? [] : slots) {
        const row = rows.find(({ state }) => state === 'waiting');
        const beside = [...slot.running.keys()].map((other) => ({ isSettled: isSettled(other) }));
        if (!row || !slot.admission.admits(beside)) continue;
        const child = start(row, slot.device, rows, options);
        slot.running.set(row, child);
        ending.push(child.done.then(() => slot.running.delete(row)));
      }
      const isWaiting = rows.some(({ state }) => state === 'waiting' || state === 'elsewhere');
      if (children().length === 0 && (signal.aborted || !isWaiting)) break;
      await soon(children().map(({ done }) => done));
      for (const row of rows) if (row.state === 'running') onChange(row, rows);
    }
    await Promise.all(ending);
  } catch (error) {
    // A disk that is full, say: what runs saves itself before anyone hears of it.
    stop();
    await Promise.allSettled(children().map(({ done }) => done));
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    kill.removeEventListener('abort', end);
  }
}

function start(
  row: RunRow,
  { env }: ChildDevice,
  rows: readonly RunRow[],
  { out, devices, jobs, onChange }: RunAllOptions,
): TrainingProcess {
  const { planned } = row;
  const state = runState(planned) === 'begun' ? 'begun' : 'absent';
  const at = performance.now();
  row.state = 'running';
  row.progress = knownProgress(planned);
  row.started = { at, epochs: row.progress.epoch };
  const files = {
    configuration: join(out, 'configurations', `${planned.name}.json`),
    log: join(out, 'logs', `${planned.name}.log`),
  };
  const child = startTraining(planned, state, files, {
    env: { ...process.env, ...sharedCores(devices.length * (jobs ?? 1)), ...env },
    onLine: (line) => {
      const before = row.progress;
      row.progress = progressAfter(before, line);
      if (row.progress !== before) onChange(row, rows);
    },
  });
  const done = child.done.then((outcome) => {
    row.state = outcome.kind;
    row.lastLines = outcome.lastLines;
    row.seconds = (performance.now() - at) / 1000;
    onChange(row, rows);
    return outcome;
  });
  onChange(row, rows);
  return { ...child, done };
}

function isSettled({ progress, started }: RunRow): boolean {
  return started !== undefined && progress.epoch > started.epochs;
}

/** A row whose folder another process holds is waited for, and may be finished then. */
function lookElsewhere(row: RunRow, changed: () => void): void {
  if (row.state !== 'waiting' && row.state !== 'elsewhere') return;
  const before = row.state;
  if (isBusy(row.planned.folder)) row.state = 'elsewhere';
  else if (before === 'elsewhere') {
    row.state = runState(row.planned) === 'finished' ? 'reused' : 'waiting';
    row.progress = knownProgress(row.planned);
  }
  if (row.state !== before) changed();
}

function knownProgress({ folder, configuration }: PlannedRun): ChildProgress {
  const last = readEpochs(runPaths(folder).metrics).at(-1);
  return {
    epoch: last?.epoch ?? 0,
    epochs: configuration.epochs,
    within: 0,
    loss: last?.trainingLoss ?? null,
    mAP: last?.validation.mAP ?? null,
    imagesPerSecond: last?.imagesPerSecond ?? null,
  };
}

/** When one of the children ends, or after a moment. */
function soon(ends: readonly Promise<unknown>[]): Promise<unknown> {
  const { promise, cancel } = pause(lookEvery);
  return Promise.race([...ends, promise]).finally(cancel);
}

function pause(milliseconds: number): { readonly promise: Promise<void>; readonly cancel: () => void } {
  let cancel = () => {};
  const promise = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    cancel = () => clearTimeout(timer);
  });
  return { promise, cancel };
}
