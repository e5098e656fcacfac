// Runs everything in a plan, side by side if there is room; each run is its own process.

import { join } from 'node:path';
import { createAdmission } from '../children/admission.js';
import { type ChildRow, firstRow, rowAfter } from '../children/childRow.js';
import { type ChildOutcome, type ChildRun, startChildRun } from '../children/childRun.js';
import { type ChildDevice, sharedCores } from '../children/devices.js';
import type { ChildEvent, RunEvent, RunEventListener } from '../events/runEvent.js';
import { readEpochs } from '../runs/metricsLog.js';
import { runPaths } from '../runs/runFolder.js';
import type { PlannedRun } from './plannedRun.js';
import { isBusy, runState } from './runState.js';

/** A planned run and its current state. */
export interface RunRow {
  readonly planned: PlannedRun;
  row: ChildRow;
  /** Why it failed. */
  reason: string;
}

export interface RunAllOptions {
  readonly out: string;
  readonly devices: readonly ChildDevice[];
  /** Processes per run. Default 1. */
  readonly processes?: number | undefined;
  /** Concurrent runs per device; by default as many as memory allows. */
  readonly jobs?: number | undefined;
  /** When aborted, active runs save a checkpoint and stop, and no new run starts. */
  readonly signal: AbortSignal;
  /** When aborted, runs stop immediately. */
  readonly kill: AbortSignal;
  readonly onEvent: RunEventListener;
}

const lookEvery = 1000;

/** Returns the rows of a plan before anything starts; throws if a folder holds a different run. */
export function planRows(plan: readonly PlannedRun[]): RunRow[] {
  return plan.map((planned) => {
    const row = firstRow(planned.name, planned.configuration.epochs);
    return { planned, row: rowAfter(row, knownState(planned), performance.now()), reason: '' };
  });
}

/**
 * Runs all waiting rows until each one finishes, fails or is interrupted.
 *
 * @example
 * await runAll(planRows(plan), { out, devices, signal, kill, onEvent: console.error });
 */
export async function runAll(rows: readonly RunRow[], options: RunAllOptions): Promise<void> {
  const { devices, jobs, signal, kill } = options;
  const slots = devices.map((device) => ({
    device,
    admission: createAdmission(device, jobs),
    running: new Map<RunRow, ChildRun>(),
  }));
  const children = () => slots.flatMap(({ running }) => [...running.values()]);
  const stop = () => children().forEach((child) => void child.stop());
  const end = () => children().forEach((child) => void child.kill());
  signal.addEventListener('abort', stop);
  kill.addEventListener('abort', end);
  try {
    const ending: Promise<unknown>[] = [];
    for (const { planned } of rows) options.onEvent(knownState(planned));
    while (true) {
      for (const row of rows) lookElsewhere(row, options);
      for (const slot of signal.aborted ? [] : slots) {
        const row = rows.find((each) => each.row.state === 'waiting');
        const beside = [...slot.running.keys()].map((other) => ({ isSettled: isSettled(other) }));
        if (!row || !slot.admission.admits(beside)) continue;
        const child = start(row, slot.device, options);
        slot.running.set(row, child);
        ending.push(child.done.then(() => slot.running.delete(row)));
      }
      const isWaiting = rows.some(({ row: { state } }) => state === 'waiting' || state === 'elsewhere');
      if (children().length === 0 && (signal.aborted || !isWaiting)) break;
      await soon(children().map(({ done }) => done));
    }
    await Promise.all(ending);
  } catch (error) {
    // For example, the disk is full. Let active runs save a checkpoint before reporting the error.
    stop();
    await Promise.allSettled(children().map(({ done }) => done));
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    kill.removeEventListener('abort', end);
  }
}

function start(run: RunRow, { env }: ChildDevice, options: RunAllOptions): ChildRun {
  const { out, devices, jobs, processes = 1 } = options;
  const { name, folder, configuration } = run.planned;
  const isBegun = runState(run.planned) === 'begun';
  changed(run, knownState(run.planned), options);
  changed(run, { type: 'child', name, state: 'running' }, options);
  const child = startChildRun({
    folder,
    configuration,
    isBegun,
    isPart: true,
    log: join(out, 'logs', `${name}.log`),
    processes,
    env: { ...sharedCores(devices.length * (jobs ?? 1) * processes), ...env },
    onEvent: (event) => changed(run, { type: 'child', name, state: 'running', event }, options),
  });
  const done = child.done.then((outcome) => {
    changed(run, endOf(name, outcome), options);
    return outcome;
  });
  return { ...child, done };
}

function endOf(name: string, outcome: ChildOutcome): ChildEvent {
  const state = outcome.kind === 'died' ? 'failed' : outcome.kind;
  return { type: 'child', name, state, ...('reason' in outcome && { reason: outcome.reason }) };
}

function changed(run: RunRow, event: ChildEvent, { onEvent }: RunAllOptions): void {
  run.row = rowAfter(run.row, event, performance.now());
  run.reason = event.reason ?? run.reason;
  onEvent(event);
}

function isSettled({ row: { progress, started } }: RunRow): boolean {
  return started !== undefined && progress.epoch > started.epochs;
}

/**
 * Waits for a row whose folder is locked by another process; it may be finished when the lock is released.
 */
function lookElsewhere(run: RunRow, options: RunAllOptions): void {
  const { name, folder } = run.planned;
  const { state } = run.row;
  if (state !== 'waiting' && state !== 'elsewhere') return;
  const isElsewhere = isBusy(folder);
  if (isElsewhere && state === 'waiting') changed(run, { type: 'child', name, state: 'elsewhere' }, options);
  if (!isElsewhere && state === 'elsewhere') changed(run, knownState(run.planned), options);
}

/** Reads from the run's folder whether it is finished, and its last epoch. */
function knownState(planned: PlannedRun): ChildEvent {
  const { name, folder, configuration } = planned;
  const state = runState(planned) === 'finished' ? 'reused' : 'waiting';
  const record = readEpochs(runPaths(folder).metrics).at(-1);
  const event: RunEvent | undefined = record && {
    type: 'validated',
    epochs: configuration.epochs,
    record,
  };
  return { type: 'child', name, state, ...(event && { event }) };
}

/** Resolves when one of the children exits, or after a short pause. */
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
