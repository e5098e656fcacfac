import { errorCode, type SharedLockOptions, takeSharedLock } from '@anyclass/torch/files';
import { UserError } from '../errors/userError.js';
import { fileProblem } from './fileProblem.js';

/**
 * Waits for a lock, then calls a function while holding it. The lock excludes other processes on this machine
 * and on other machines that share the folder.
 *
 * @param work receives a signal that aborts if the lock is lost, as after the machine slept for over a minute
 * @throws UserError if the lock cannot be written
 *
 * @example
 * await withSharedLock('weights/model.lock', () => download());
 */
export async function withSharedLock<Result>(
  path: string,
  work: (lost: AbortSignal) => Result | Promise<Result>,
  options: SharedLockOptions = {},
): Promise<Result> {
  using lock = await takeSharedLock(path, options).catch((error: unknown) => {
    // An abort while waiting is not a problem with files.
    if (options.signal?.aborted || errorCode(error) === undefined) throw error;
    throw new UserError(`${path} cannot be written: ${fileProblem(error)}`);
  });
  return await work(lock.lost);
}
