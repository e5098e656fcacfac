// Determines whether the workers of a study are alive. On this machine, by their process. On another machine,
// by a heartbeat: a number in a file that the worker increases every few seconds. A worker counts as dead
// after a minute without a change, by the observer's own clock; clocks of different machines are never
// compared.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive, thisProcess } from '@anyclass/files';
import type { Worker } from './events.js';

const pulseEvery = 5000;
const stillPulse = 60_000;

export interface Pulse extends Disposable {
  readonly worker: Worker;
}

/**
 * Registers this process as a worker of a study, with a heartbeat until it is disposed.
 *
 * @example
 * using pulse = startPulse('studies/sewer');
 * pulse.worker.pid === process.pid // true
 */
export function startPulse(study: string): Pulse {
  const { host, pid, started } = thisProcess();
  const worker = { id: `${host}-${pid}-${randomUUID().slice(0, 8)}`, host, pid, started };
  mkdirSync(join(study, 'workers'), { recursive: true });
  const path = pulsePath(study, worker);
  let beats = 0;
  const beat = () => writeFileSync(path, String(beats++));
  beat();
  const timer = setInterval(() => {
    try {
      beat();
    } catch {
      // A briefly unavailable file system only misses a beat; if it stays away, the journal reports it.
    }
  }, pulseEvery).unref();
  return {
    worker,
    [Symbol.dispose]() {
      clearInterval(timer);
      rmSync(path, { force: true });
    },
  };
}

/** Says whether a worker is dead. Call it repeatedly: a heartbeat shows only in its changes. */
export type DeathWatch = (worker: Worker) => boolean;

/**
 * @example
 * const isDead = watchWorkers('studies/sewer');
 * isDead(trial.worker)
 */
export function watchWorkers(study: string, now = () => performance.now()): DeathWatch {
  const seen = new Map<string, { readonly beat: string; readonly since: number }>();
  return (worker) => {
    if (worker.host === hostname()) return !isAlive(worker);
    const beat = pulseOf(study, worker);
    const before = seen.get(worker.id);
    if (before?.beat === beat) return now() - before.since > stillPulse;
    seen.set(worker.id, { beat, since: now() });
    return false;
  };
}

function pulsePath(study: string, { id }: Worker): string {
  return join(study, 'workers', id);
}

function pulseOf(study: string, worker: Worker): string {
  try {
    return readFileSync(pulsePath(study, worker), 'utf8');
  } catch {
    return '';
  }
}
