// One process at a time works on a run folder. The lock names its process; what a killed one left behind is taken over.

import { readFileSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../commandLine/command.js';
import { createWhole } from './wholeFile.js';

/** A process that holds a lock. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process began, where the system tells: a number may have been given to another process since. */
  readonly started: string;
}

/**
 * Takes the lock of a run folder, or throws where another process has it. Releasing it twice does no harm.
 *
 * @example
 * using lock = lockRun('runs/sewer');
 */
export function lockRun(folder: string): Disposable {
  const path = join(folder, 'lock');
  const own = JSON.stringify(thisProcess());
  if (!createWhole(path, own)) {
    const holder = holderOf(path);
    if (holder !== undefined && isAlive(holder)) refuse(folder, holder);
    removeStale(path, folder, holder);
    if (!createWhole(path, own)) refuse(folder, holderOf(path));
  }
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

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
function removeStale(path: string, folder: string, dead: Holder | undefined): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // the other was faster
  }
  const moved = holderOf(aside);
  if (JSON.stringify(moved) !== JSON.stringify(dead)) {
    renameSync(aside, path);
    refuse(folder, moved);
  }
  rmSync(aside, { force: true });
}

function holderOf(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
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

function refuse(folder: string, holder: Holder | undefined): never {
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
  throw new UserError(
    `${folder}: ${who} is working on this run; wait for it, or remove ${join(folder, 'lock')} if it is gone`,
  );
}
