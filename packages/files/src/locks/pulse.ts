// A lock file as a sign of life for other machines. Its age is measured by the file
// system's clock, never by ours.

import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { type Holder, isAlive, lockAt, parseHolder } from './holder.js';

/**
 * The process that holds a lock; undefined for a file that is not our lock, such as one
 * that a power cut left empty.
 */
export function holderAt(path: string): Holder | undefined {
  try {
    return parseHolder(lockAt(path).text);
  } catch {
    return undefined;
  }
}

/**
 * Whether a process works under a lock right now. A process on another machine counts as alive.
 *
 * @example
 * isLocked('weights/model.lock') // false
 */
export function isLocked(path: string): boolean {
  const holder = holderAt(path);
  return holder !== undefined && isAlive(holder);
}

/** Rewrites the same bytes in place: readers always see them whole, and the file system updates the time. */
export function writeAgain(path: string, text: string): void {
  try {
    // After this machine slept, the lock may belong to another process.
    if (lockAt(path).text !== text) return;
    const file = openSync(path, 'r+');
    try {
      writeSync(file, text, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // A file system that is briefly unavailable misses one beat.
  }
}

/** Seconds since a lock was last written; 0 if unknown. */
export function secondsSinceWritten(path: string): number {
  const probe = `${path}.probe.${process.pid}`;
  try {
    return (writtenAt(probe, 'w') - writtenAt(path, 'r')) / 1000;
  } catch {
    return 0; // for example, when the disk is full: the lock is then not taken over
  } finally {
    rmSync(probe, { force: true });
  }
}

/** When a file was last written. Opens it, because a network file system asks its server only then. */
function writtenAt(path: string, flags: 'r' | 'w'): number {
  const file = openSync(path, flags);
  try {
    return fstatSync(file).mtimeMs;
  } finally {
    closeSync(file);
  }
}
