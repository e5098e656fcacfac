// One process at a time works on a folder. The lock names its process; a lock left by a killed process is
// taken over. The operating system knows whether a process on this machine is alive; a process on another
// machine shows it by rewriting its lock every few seconds.

import { renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Holder, isAlive, thisProcess } from '@anyclass/torch/files';
import { type ErrorCode, UserError } from '../errors/userError.js';
import { holderAt, secondsSinceWritten, writeAgain } from './lockPulse.js';
import { createWhole } from './wholeFile.js';

/**
 * Takes a lock, or throws if another process holds it. `refusal` returns the message, given that process.
 *
 * @example
 * using lock = takeLock('runs/sewer/lock', (who) => `runs/sewer: ${who} is working on this run`);
 */
export function takeLock(path: string, refusal: (who: string) => string, code?: ErrorCode): Disposable {
  const refuse: Refuse = (holder) => {
    const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
    const message = `${refusal(who)}; wait for it, or remove ${path} if it is gone`;
    throw new UserError(message, code === undefined ? {} : { code });
  };
  const own = JSON.stringify(thisProcess());
  if (!createWhole(path, own)) {
    refuseFolder(path);
    const holder = holderAt(path);
    if (holder !== undefined && isWorking(path, holder)) refuse(holder);
    removeStale(path, holder, refuse);
    if (!createWhole(path, own)) refuse(holderAt(path));
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

/** Refuses a folder in place of the lock: we never create one, and its contents may be somebody's files. */
function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UserError(`${path} is a folder, but the lock must be a file; rename or remove the folder`);
}

type Refuse = (holder: Holder | undefined) => never;

/**
 * Removes a dead process's lock. Another process may be doing the same at this moment, so what was moved
 * aside must be the lock that was found dead.
 */
function removeStale(path: string, dead: Holder | undefined, refuse: Refuse): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // the other process was faster
  }
  const moved = holderAt(aside);
  if (JSON.stringify(moved) !== JSON.stringify(dead)) {
    renameSync(aside, path);
    refuse(moved);
  }
  rmSync(aside, { force: true });
}
