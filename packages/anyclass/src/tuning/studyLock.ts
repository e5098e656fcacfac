import { join } from 'node:path';
import { withSharedLock } from '../files/sharedLock.js';

/**
 * One process at a time changes a study, for a moment only: calls a function while no other process is inside a call for the
 * same folder; waits until it may.
 *
 * @example
 * await withStudyLock('studies/sewer', () => journal.append([event]));
 */
export async function withStudyLock<Result>(folder: string, change: () => Result): Promise<Result> {
  return await withSharedLock<Result>(join(folder, 'lock'), change);
}
