// events.jsonl: what a run reported as it went, a line for each event with its time. A resumed run appends.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { isPlainObject } from '../configuration/overrides.js';
import type { RunEvent, RunEventListener } from '../events/runEvent.js';
import { parsedJson } from '../files/wholeFile.js';

const heartbeatMilliseconds = 1000;

/**
 * A listener that appends events to a file: steps and progress about once a second, everything else as it comes. A line that
 * cannot be written is dropped: the run itself says when its disk is full.
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
      appendFileSync(path, `${JSON.stringify({ time: new Date(now()).toISOString(), ...event })}\n`);
    } catch {
      // As said above.
    }
  };
}

/**
 * Lets steps and progress pass once in this many milliseconds, and every other event. The first and the last progress of a
 * task pass too, so that whoever follows sees it begin and end.
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

/** An event as the log has it. */
export type LoggedEvent = RunEvent & { readonly time: string };

/** The events of a log; a line that was cut off or damaged is not there. */
export function readEvents(path: string): LoggedEvent[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').map(parsedJson).filter(isLogged);
}

function isLogged(value: unknown): value is LoggedEvent {
  return isPlainObject(value) && typeof value['type'] === 'string' && typeof value['time'] === 'string';
}
