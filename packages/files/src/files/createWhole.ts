import { randomUUID } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { errorCode, namedError } from './problem.js';

/**
 * Creates a file that appears with its full content or not at all; returns false if the file already exists.
 *
 * @throws FileError if it cannot be written
 *
 * @example
 * createWhole('runs/sewer/lock', text) // true for exactly one of the processes that try
 */
export function createWhole(path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, text);
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw namedError(path, error);
  } finally {
    try {
      rmSync(draft, { force: true });
    } catch {
      // The disk may have become read-only; the earlier error is the one to report.
    }
  }
}
