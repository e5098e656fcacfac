// One process at a time works on a folder. The lock names its process; a lock left by a killed process is
// taken over. The operating system knows whether a process on this machine is alive; a process on another
// machine shows it by rewriting its lock every few seconds.

import { renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { createWhole } from '../files/createWhole.js';
import { type Holder, isAlive, refuseFolder, thisProcess } from './holder.js';
import { holderAt, secondsSinceWritten, writeAgain } from './pulse.js';

/** Another process holds a lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  readonly path: string;
  /** The process that holds it, if it can be read. */
  readonly holder: Holder | undefined;

  constructor(path: string, holder: Holder | undefined) {
    const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
    super(`${path} is held by ${who}; wait for it, or remove the file if the process is gone`);
    this.path = path;
    this.holder = holder;
  }
}

/**
 * Takes a lock.
 *
 * @throws LockedError if another process holds it, FileError if it cannot be written
 *
 * @example
 * using lock = takeLock('runs/sewer/lock');
 */
export function takeLock(path: string): Disposable {
  const own = JSON.stringify(thisProcess());
  if (!createWhole(path, own)) {
    refuseFolder(path);
    const holder = holderAt(path);
    if (holder !== undefined && isWorking(path, holder)) throw new LockedError(path, holder);
    removeStale(path, holder);
    if (!createWhole(path, own)) throw new LockedError(path, holderAt(path));
  }
  let isHeld = true;
  const pulse = setInterval(() => writeAgain(path, own), pulseEvery).unref();
  return {
    // A second call does nothing: by then, another process may hold the lock.
    [Symbol.dispose]() {
      if (!isHeld) return;
      isHeld = false;
      clearInterval(pulse);
      try {
        rmSync(path, { force: true });
      } catch {
        // The disk became read-only. The lock names a process that has exited, so it does not count.
      }
    },
  };
}

const pulseEvery = 5000;

/** How long a process on another machine has to rewrite its lock: ANYCLASS_LOCK_SECONDS, or 5 minutes. */
function patienceSeconds(): number {
  return Number(process.env['ANYCLASS_LOCK_SECONDS'] ?? 300);
}

function isWorking(path: string, holder: Holder): boolean {
  return holder.host === hostname() ? isAlive(holder) : secondsSinceWritten(path) < patienceSeconds();
}

/**
 * Removes a dead process's lock. Another process may be doing the same at this moment, so what was moved
 * aside must be the lock that was found dead.
 */
function removeStale(path: string, dead: Holder | undefined): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // the other process was faster
  }
  const moved = holderAt(aside);
  if (JSON.stringify(moved) !== JSON.stringify(dead)) {
    renameSync(aside, path);
    throw new LockedError(path, moved);
  }
  rmSync(aside, { force: true });
}
