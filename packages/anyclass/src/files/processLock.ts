// One process at a time works on a folder. The lock names its process; what a killed one left behind is taken over.

import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { type Holder, isAlive, parseHolder, thisProcess } from '@anyclass/torch/files';
import { type ErrorCode, UserError } from '../errors/userError.js';
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
    const holder = holderOf(path);
    if (holder !== undefined && isAlive(holder)) refuse(holder);
    removeStale(path, holder, refuse);
    if (!createWhole(path, own)) refuse(holderOf(path));
  }
  let isHeld = true;
  return {
    // A second time does nothing: the lock may be another's by then.
    [Symbol.dispose]() {
      if (!isHeld) return;
      isHeld = false;
      try {
        rmSync(path, { force: true });
      } catch {
        // On a disk that became read-only: the lock names a process that has ended, and does not count.
      }
    },
  };
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
  const moved = holderOf(aside);
  if (JSON.stringify(moved) !== JSON.stringify(dead)) {
    renameSync(aside, path);
    refuse(moved);
  }
  rmSync(aside, { force: true });
}

/** Undefined for what is no lock of ours, such as a file that lost its content with the power. */
function holderOf(path: string): Holder | undefined {
  try {
    return parseHolder(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
