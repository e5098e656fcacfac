import { UserError } from './userError.js';

/**
 * A problem in the data, not in the program. The message names the file, the line and what to do, and is all
 * that a user needs to see.
 *
 * @example
 * throw new DataError("train.csv, line 7: class column 'RB' holds '2'; expected 0 to 1, empty for unknown, or -1 for uncertain")
 */
export class DataError extends UserError {
  override readonly name: string = 'DataError';
}
