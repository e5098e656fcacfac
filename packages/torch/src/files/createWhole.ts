import { randomUUID } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { errorCode } from './problem.js';

/**
 * Creates a file that appears with its content or not at all; false where there is one of that name already.
 *
 * @example
 * createWhole('runs/sewer/lock', text) // true for one of all processes that try
 */
export function createWhole(path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, text);
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    try {
      rmSync(draft, { force: true });
    } catch {
      // On a disk that became read-only: what went wrong before is the one to report.
    }
  }
}
