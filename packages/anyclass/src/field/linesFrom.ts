// Lines of logs from a line or a time on, such as the day when a camera was replaced.

import { DataError } from '../errors/dataError.js';
import type { PlacedLine } from './predictionLog.js';

/** Tells which lines come before the first one that counts. */
export interface LinesFrom {
  /** Counts a line, and says whether it is left out. Of lines with one id, the first counts, or none if that is left out. */
  leavesOut(line: PlacedLine): boolean;
  hasLeftOut(id: string): boolean;
  /** How many lines there were. */
  readonly count: number;
  /** How many of them were left out. */
  readonly before: number;
}

/**
 * Creates a filter of lines.
 *
 * @param from the first line that counts, by its place in all logs from 1, or a time; undefined for all lines
 *
 * @example
 * const lines = linesFrom(new Date('2026-03-14'));
 * for await (const line of readPredictionLogs(logs)) if (!lines.leavesOut(line)) add(line);
 */
export function linesFrom(from: number | Date | undefined): LinesFrom {
  const leftOut = new Set<string>();
  let count = 0;
  let before = 0;
  return {
    leavesOut(line) {
      count++;
      const { id } = line.logged;
      if (isBefore(from, count, line)) leftOut.add(id);
      if (!leftOut.has(id)) return false;
      before++;
      return true;
    },
    hasLeftOut: (id) => leftOut.has(id),
    get count() {
      return count;
    },
    get before() {
      return before;
    },
  };
}

function isBefore(
  from: number | Date | undefined,
  count: number,
  { logged: { time }, file, line }: PlacedLine,
): boolean {
  if (!(from instanceof Date)) return from !== undefined && count < from;
  const at = Date.parse(time ?? '');
  if (Number.isNaN(at)) {
    throw new DataError(
      `${file}, line ${line}: its time is ${time ?? 'missing'}; name the first line that counts instead`,
      { setting: 'from' },
    );
  }
  return at < from.getTime();
}
