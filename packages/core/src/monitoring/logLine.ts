import type { Key } from '../labels/distinctKeys.js';
import type { Outcome } from '../metrics/outcomes.js';

/** What monitoring needs to know of a prediction; a log of predictions holds such lines. */
export interface LogLine {
  /** Unique; of several lines with the same id, the first counts. */
  readonly id: string;
  /** Whether no class was predicted; an alarm otherwise. */
  readonly isNegative?: boolean | undefined;
  /** If given, this decides whether the line is an alarm. */
  readonly outcome?: Outcome | undefined;
  /**
   * The coin that was thrown for this image, alarm or not: with which probability it was to be drawn, and whether it was.
   * Drawn images are to be labeled. A line without one counts nowhere.
   */
  readonly audit?: AuditDraw | undefined;
  /** Of a group, one line counts. */
  readonly group?: Key | undefined;
}

export interface AuditDraw {
  /** From above 0 to 1, the same for all images at a time. */
  readonly q: number;
  readonly drawn: boolean;
}

/** What is known about the images of a log: true if an image is negative, false if it is positive. */
export type AuditLabels = ReadonlyMap<string, boolean>;

/** Whether a line is an alarm. */
export function isAlarm({ outcome, isNegative }: LogLine): boolean {
  return outcome === undefined ? isNegative === false : outcome === 'alarm';
}

/** Whether a line is cleared: nobody looks at it. Without outcomes, that is whatever does not alarm. */
export function isCleared({ outcome, isNegative }: LogLine): boolean {
  return outcome === undefined ? isNegative === true : outcome === 'clear';
}

/** Throws if a line cannot be used, naming its number, which counts from 1. */
export function checkLine({ id, isNegative, outcome, audit }: LogLine, number: number): void {
  if (typeof id !== 'string' || id === '') throw new RangeError(`line ${number} has no id`);
  if (outcome === undefined && isNegative === undefined) {
    throw new RangeError(`line ${number} (${id}) has neither isNegative nor outcome`);
  }
  if (audit === undefined) return;
  if (!(audit.q > 0 && audit.q <= 1)) {
    throw new RangeError(
      `line ${number} (${id}): audit.q is ${audit.q}; expected a number above 0, at most 1`,
    );
  }
  if (typeof audit.drawn !== 'boolean') {
    throw new RangeError(
      `line ${number} (${id}): audit.drawn is ${String(audit.drawn)}; expected true or false`,
    );
  }
}
