import { join } from 'node:path';
import { LockedError, takeLock } from '@anyclass/files';
import { UserError } from '../errors/userError.js';

/**
 * Takes the lock of a run folder, or throws if another process has it.
 *
 * @example
 * using lock = lockRun('runs/sewer');
 */
export function lockRun(folder: string): Disposable {
  try {
    return takeLock(join(folder, 'lock'));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    const { holder, path } = error;
    const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
    throw new UserError(
      `${folder}: ${who} is working on this run; wait for it, or remove ${path} if it is gone`,
      { code: 'run-busy' },
    );
  }
}
