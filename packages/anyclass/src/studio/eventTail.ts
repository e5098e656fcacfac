// How a run stands, from the end of its log of events, which is read on as it grows.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parsedJson } from '../files/wholeFile.js';
import { isLogged, type LoggedEvent } from '../runs/eventLog.js';
import { afterEvent, notStarted, type RunProgress } from '../runs/runProgress.js';

/** What was read of a log so far. */
export interface EventTail {
  readonly progress: RunProgress;
  /** Where its last complete line ends. */
  readonly offset: number;
}

/** At first only the end of a log is read: a day of training has 30 MB of steps. */
const mostAtFirst = 1 << 20;

/** Returns what a log says after what was read before; from its end if it is new, or was replaced by a shorter one. */
export function readTail(path: string, before?: EventTail): EventTail {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const known = before !== undefined && size >= before.offset ? before : undefined;
    return known ? readOn(file, size, known) : (readEnd(file, size) ?? readLast(file, size));
  } finally {
    closeSync(file);
  }
}

function readOn(file: number, size: number, { progress, offset }: EventTail): EventTail {
  const { events, end } = eventsBetween(file, offset, size);
  return { progress: events.reduce(afterEvent, progress), offset: end };
}

/** Since the last start that is near the end. */
function readLast(file: number, size: number): EventTail {
  const { events, end } = eventsBetween(file, Math.max(0, size - mostAtFirst), size);
  const start = Math.max(
    0,
    events.findLastIndex(({ type }) => type === 'started'),
  );
  return { progress: events.slice(start).reduce(afterEvent, notStarted), offset: end };
}

/**
 * Of a run that has ended, the last line says all that the list shows; undefined if it goes on. The line of a finished run has its whole
 * summary, so only its beginning is looked at: a thousand runs are listed in a second.
 */
function readEnd(file: number, size: number): EventTail | undefined {
  for (let length = 1 << 12; ; length *= 8) {
    const from = Math.max(0, size - length);
    const bytes = bytesBetween(file, from, size);
    if (bytes.at(-1) !== 10) return undefined;
    const start = bytes.lastIndexOf(10, bytes.length - 2) + 1;
    if (start === 0 && from > 0 && length < mostAtFirst) continue;
    const begins = bytes.toString('latin1', start, start + 80);
    const [, type] = /^\{"time":"[^"]*","type":"(\w+)"/.exec(begins) ?? [];
    if (type === 'finished') return { progress: { ...notStarted, state: 'finished' }, offset: size };
    if (type !== 'failed' && type !== 'interrupted') return undefined;
    const [event] = loggedEvents(bytes.toString('utf8', start));
    return event && { progress: afterEvent(notStarted, event), offset: size };
  }
}

function eventsBetween(file: number, from: number, to: number): { events: LoggedEvent[]; end: number } {
  const bytes = bytesBetween(file, from, to);
  const length = bytes.lastIndexOf(10) + 1;
  return { events: loggedEvents(bytes.toString('utf8', 0, length)), end: from + length };
}

function bytesBetween(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, to - from));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}

/** The events in lines of a log; damaged lines are skipped. */
export function loggedEvents(text: string): LoggedEvent[] {
  return text.split('\n').flatMap((line) => {
    const value = line === '' ? undefined : parsedJson(line);
    return isLogged(value) ? [value] : [];
  });
}
