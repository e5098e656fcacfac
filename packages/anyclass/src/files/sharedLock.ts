import { errorCode, type SharedLockOptions, takeSharedLock } from '@anyclass/torch/files';
import { UserError } from '../errors/userError.js';
import { fileProblem } from './fileProblem.js';

/**
 * Calls a function while no other process, on this machine or on others that share the folder, is inside a call for the same lock;
 * waits until it may.
 *
 * @param work gets a signal that is aborted where the lock was lost, as after a machine slept for more than a minute
 * @throws UserError where the lock cannot be written
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
