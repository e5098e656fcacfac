// Identifies processes that hold locks, even after a process ID has been reused.

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode, FileError } from '../files/problem.js';

/** A process that holds a lock. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When the process started, if the system says; its ID may have been reused since. */
  readonly started: string;
}

export function thisProcess(): Holder {
  return { host: hostname(), pid: process.pid, started: startOf(process.pid) };
}

/** Whether a process is still running; true for one on another machine, where it cannot be checked. */
export function isAlive({ host, pid, started }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  return startOf(pid) === started;
}

/** Bytes of a lock that are read; ours have two hundred. */
const longest = 4096;

/**
 * Reads the file of a lock. Whatever is not a file has no text: a pipe would be waited for, and a device never ends.
 *
 * @throws what the system says if it cannot be opened
 */
export function lockAt(path: string): { readonly text: string; readonly mtimeMs: number } {
  // Opening the file makes a network file system return its current state; a mere `stat` may answer from a cache.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    const bytes = Buffer.alloc(found.isFile() ? longest : 0);
    const length = bytes.length === 0 ? 0 : readSync(file, bytes, 0, bytes.length, 0);
    return { text: bytes.toString('utf8', 0, length), mtimeMs: found.mtimeMs };
  } finally {
    closeSync(file);
  }
}

/** Returns the process that a lock's text names; undefined if it is not a lock, such as a file emptied by a power cut. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Throws if a folder is in place of a lock: we never create one, its contents may be somebody's files, and waiting for it
 * would never end.
 */
export function refuseFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new FileError(path, 'it is a folder, but the lock must be a file; rename or remove the folder');
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
 * Returns the 22nd field of Linux's /proc/PID/stat: the start time in clock ticks since boot. Returns '' on other
 * systems, and for a zombie, which has exited but not been reaped by its parent.
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
