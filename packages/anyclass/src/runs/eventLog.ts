// events.jsonl: the events that a run reported, one line each with its time. A resumed run appends.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { isPlainObject } from '../configuration/overrides.js';
import type { RunEvent, RunEventListener } from '../events/runEvent.js';
import { parsedJson } from '../files/wholeFile.js';

const heartbeatMilliseconds = 1000;

/**
 * Returns a listener that appends events to a file: steps and progress about once a second, everything else
 * immediately. A line that cannot be written is dropped: the run itself reports a full disk.
 *
 * @example
 * const log = eventLog('runs/sewer/events.jsonl');
 * log({ type: 'saved', checkpoint: 'runs/sewer/checkpoints/epoch-0001-step-000000.safetensors' });
 */
export function eventLog(path: string, now = () => Date.now()): RunEventListener {
  const heartbeat = limitedRate(heartbeatMilliseconds, now);
  return (event) => {
    if (!heartbeat(event)) return;
    try {
      const memory = event.type === 'step' ? { memory: process.memoryUsage.rss() } : {};
      appendFileSync(
        path,
        `${JSON.stringify({ time: new Date(now()).toISOString(), ...event, ...memory })}\n`,
      );
    } catch {
      // Dropped; see above.
    }
  };
}

/**
 * Returns a filter that lets steps and progress pass once in this many milliseconds, and every other event.
 * The first and last progress of a task always pass, so that listeners see it start and end.
 *
 * @example
 * const passes = limitedRate(1000);
 * passes({ type: 'note', text: 'hello' }) // true
 */
export function limitedRate(milliseconds: number, now = () => Date.now()): (event: RunEvent) => boolean {
  let passedAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    const isFrequent =
      event.type === 'step' || (event.type === 'progress' && event.done > 0 && event.done !== event.total);
    if (isFrequent && now() - passedAt < milliseconds) return false;
    if (isFrequent) passedAt = now();
    return true;
  };
}

/** An event as it is stored in the log; a step with the memory of its process in bytes. */
export type LoggedEvent = RunEvent & { readonly time: string; readonly memory?: number };

/** Reads the events of a log; truncated or damaged lines are skipped. */
export function readEvents(path: string): LoggedEvent[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').map(parsedJson).filter(isLogged);
}

/** Whether a line's value is an event. */
export function isLogged(value: unknown): value is LoggedEvent {
  return isPlainObject(value) && typeof value['type'] === 'string' && typeof value['time'] === 'string';
}
