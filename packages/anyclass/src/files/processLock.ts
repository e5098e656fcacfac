// One process at a time works on a folder. The lock names its process; what a killed one left behind is taken over. Of a process
// on this machine the system tells whether it lives; one on another shows it by writing its lock again every few seconds.

import { renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Holder, isAlive, thisProcess } from '@anyclass/torch/files';
import { type ErrorCode, UserError } from '../errors/userError.js';
import { holderAt, secondsSinceWritten, writeAgain } from './lockPulse.js';
import { createWhole } from './wholeFile.js';

/**
 * Takes a lock, or throws where another process has it: `refusal` tells what that one does.
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
    // A second time does nothing: the lock may be another's by then.
    [Symbol.dispose]() {
      if (!isHeld) return;
      isHeld = false;
      clearInterval(pulse);
      try {
        rmSync(path, { force: true });
      } catch {
        // On a disk that became read-only: the lock names a process that has ended, and does not count.
      }
    },
  };
}

const pulseEvery = 5000;

/** A process on another machine has this long to write its lock again: ANYCLASS_LOCK_SECONDS, or 5 minutes. */
function patienceSeconds(): number {
  return Number(process.env['ANYCLASS_LOCK_SECONDS'] ?? 300);
}

function isWorking(path: string, holder: Holder): boolean {
  return holder.host === hostname() ? isAlive(holder) : secondsSinceWritten(path) < patienceSeconds();
}

/** Nobody's lock is a folder: what it holds may be somebody's. */
function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UserError(`${path} is a folder, where a lock would be a file; rename or remove it`);
}

type Refuse = (holder: Holder | undefined) => never;

/** Another process may do the same at this moment: what was moved away must be what was found dead. */
function removeStale(path: string, dead: Holder | undefined, refuse: Refuse): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // the other was faster
  }
  const moved = holderAt(aside);
  if (JSON.stringify(moved) !== JSON.stringify(dead)) {
    renameSync(aside, path);
    refuse(moved);
  }
  rmSync(aside, { force: true });
}
