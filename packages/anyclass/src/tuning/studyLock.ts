import { join } from 'node:path';
import { withSharedLock } from '@anyclass/files';

/**
 * Calls a function while holding the study's lock, so that only one process at a time changes the study.
 * Waits for the lock; the function should return quickly.
 *
 * @example
 * await withStudyLock('studies/sewer', () => journal.append([event]));
 */
export async function withStudyLock<Result>(folder: string, change: () => Result): Promise<Result> {
  return await withSharedLock<Result>(join(folder, 'lock'), change);
}
