import { join } from 'node:path';
import { takeLock } from '../files/processLock.js';

/**
 * Takes the lock of a run folder, or throws if another process has it.
 *
 * @example
 * using lock = lockRun('runs/sewer');
 */
export function lockRun(folder: string): Disposable {
  return takeLock(join(folder, 'lock'), (who) => `${folder}: ${who} is working on this run`, 'run-busy');
}
