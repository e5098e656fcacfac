// Processes that hold something, told apart from others that got the same number later.

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from './problem.js';

/** A process that holds a lock. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process began, where the system tells: a number may have been given to another process since. */
  readonly started: string;
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
    return errorCode(error) === 'EPERM';
  }
  return startOf(pid) === started;
}

/** The process that the text of a lock names; undefined for what is no lock, such as a file that lost its content with the power. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  return (
    typeof value === 'object' &&
    value !== null &&
    'host' in value &&
    typeof value.host === 'string' &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'started' in value &&
    typeof value.started === 'string'
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
