// What the lines of a log are to a promise.

import type { AuditEvent } from './auditEvents.js';

/** A line of the log. */
export interface LinePlace {
  readonly line: number;
  readonly id: string;
}

/** A line that can be evidence for or against a promise. */
export interface PromiseEvent extends LinePlace {
  readonly q: number;
  /** Whether the image is of the kind that the promise is about, such as negative; undefined without a label. */
  readonly isConcerned: boolean | undefined;
  /** Whether it got what the promise limits, such as an alarm. */
  readonly isAgainst: boolean;
}

/** The promise on false alarms: it is about negatives, and limits their alarms. */
export function falseAlarmEvents(events: readonly AuditEvent[]): PromiseEvent[] {
  return events.map(({ line, id, q, isAlarm, isNegative }) => ({
    line,
    id,
    q,
    isConcerned: isNegative,
    isAgainst: isAlarm,
  }));
}

/** The promise on missed positives: it is about positives, and limits those that are cleared. Drawn images alone count, each once. */
export function missedEvents(events: readonly AuditEvent[]): PromiseEvent[] {
  return events
    .filter(({ wasDrawn }) => wasDrawn)
    .map(({ line, id, isCleared, isNegative }) => ({
      line,
      id,
      q: 1,
      isConcerned: isNegative === undefined ? undefined : !isNegative,
      isAgainst: isCleared,
    }));
}
