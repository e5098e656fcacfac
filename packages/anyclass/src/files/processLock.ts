// One process at a time works on a folder. The lock names its process; what a killed one left behind is taken over.

import { readFileSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { type ErrorCode, UserError } from '../errors/userError.js';
import { createWhole } from './wholeFile.js';

/** A process that holds a lock. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process began, where the system tells: a number may have been given to another process since. */
  readonly started: string;
}

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
    const holder = holderOf(path);
    if (holder !== undefined && isAlive(holder)) refuse(holder);
    removeStale(path, holder, refuse);
    if (!createWhole(path, own)) refuse(holderOf(path));
  }
  let isHeld = true;
  return {
    // A second time does nothing: the lock may be another's by then.
    [Symbol.dispose]() {
      if (isHeld) rmSync(path, { force: true });
      isHeld = false;
    },
  };
}

type Refuse = (holder: Holder | undefined) => never;

export function thisProcess(): Holder {
  return { host: hostname(), pid: process.pid, started: startOf(process.pid) };
}

/** Whether a process runs still; of one on another machine that cannot be known from here. */
export function isAlive({ host, pid, started }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return startOf(pid) === started;
}

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
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isHolder(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  return (
    typeof value === 'object' && value !== null && 'host' in value && 'pid' in value && 'started' in value
  );
}

/**
 * The 22nd field of Linux's /proc/PID/stat, in clock ticks since the machine started; '' elsewhere, and for a process that
 * was killed and whose parent did not ask for it yet.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
