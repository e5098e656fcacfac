/**
 * Rows by file name, with a value for each class: a probability, or a label from 0 to 1 with NaN for unknown.
 */
export interface NamedTable {
  readonly names: readonly string[];
  readonly classNames: readonly string[];
  /** Bytes if all are 0 or 1. */
  readonly values: Float64Array | Uint8Array;
  /** The group of each row, such as its patient, if the table has a column for it. */
  readonly groups?: readonly string[] | undefined;
  /** The file that the table was read from, for messages. */
  readonly path?: string;
  /** The line of each row, if rows do not simply follow the header. */
  readonly lines?: readonly number[];
}
