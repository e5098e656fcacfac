// The file of a lock as a sign of life, seen from other machines. Its age is by the clock of the file system, never by ours.

import { closeSync, fstatSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { type Holder, parseHolder } from '@anyclass/torch/files';

/** Who holds a lock; undefined for a file that is not our lock, such as one that a power cut left empty. */
export function holderAt(path: string): Holder | undefined {
  try {
    return parseHolder(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Writes the same bytes in their place: readers see them whole, and the file system notes the time. */
export function writeAgain(path: string, text: string): void {
  try {
    // A machine that slept may find another's lock here.
    if (readFileSync(path, 'utf8') !== text) return;
    const file = openSync(path, 'r+');
    try {
      writeSync(file, text, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // A file system that is away for a moment misses a beat.
  }
}

/** How long ago a lock was last written; 0 where that is unknown. */
export function secondsSinceWritten(path: string): number {
  const probe = `${path}.probe.${process.pid}`;
  try {
    return (writtenAt(probe, 'w') - writtenAt(path, 'r')) / 1000;
  } catch {
    return 0; // as on a disk without room: then it is not taken over
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Opened, because a network file system asks its server only then. */
function writtenAt(path: string, flags: 'r' | 'w'): number {
  const file = openSync(path, flags);
  try {
    return fstatSync(file).mtimeMs;
  } finally {
    closeSync(file);
  }
}
