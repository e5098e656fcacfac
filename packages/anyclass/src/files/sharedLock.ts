// A lock that processes wait for, on one machine or on several that share a folder. It is a file that `link` creates, which
// network file systems do for one process alone; their advisory locks (flock) may let everybody in.

import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isAlive, thisProcess } from './processLock.js';
import { createWhole, parsedJson } from './wholeFile.js';

const beatEvery = 5000;
/**
 * A lock of another machine that stays the same for so long was left by a process that died. The time is measured here,
 * from when the lock was last seen to change: clocks of machines are never compared.
 */
const foreignPatience = 60_000;
const unreadablePatience = 2000;

const holder = z.object({ host: z.string(), pid: z.int(), started: z.string(), token: z.string() });

export interface SharedLockOptions {
  /** Milliseconds between two looks at a lock that another process holds. Default 5. */
  readonly pause?: number;
  /** Called once where the lock is another's. */
  readonly onWait?: () => void;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a function while no other process is inside a call for the same lock; waits until it may. A holder shows that it
 * lives by touching the file; one that was killed is noticed at once on its own machine, and after a minute on others.
 *
 * @param work gets a signal that is aborted where the lock was lost, as after a machine slept for more than a minute
 *
 * @example
 * await withSharedLock('weights/model.lock', () => download());
 */
export async function withSharedLock<Result>(
  path: string,
  work: (lost: AbortSignal) => Result | Promise<Result>,
  { pause = 5, onWait, signal }: SharedLockOptions = {},
): Promise<Result> {
  const own = JSON.stringify({ ...thisProcess(), token: randomUUID() });
  let seen: { readonly state: string; readonly since: number } | undefined;
  while (!createWhole(path, own)) {
    if (!seen) onWait?.();
    const lock = look(path);
    if (lock.state !== seen?.state) seen = { state: lock.state, since: performance.now() };
    const unchangedFor = performance.now() - seen.since;
    if (isLeftBehind(lock.text, unchangedFor)) removeLeftBehind(path, lock, own, unchangedFor);
    else await sleep(pause * (1 + Math.random()), undefined, { ...(signal && { signal }) });
  }
  const lost = new AbortController();
  const beat = setInterval(() => showLife(path, own, lost), beatEvery);
  beat.unref();
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(beat);
    if (look(path).text === own) rmSync(path, { force: true });
  }
}

function showLife(path: string, own: string, lost: AbortController): void {
  try {
    if (look(path).text !== own) lost.abort();
    else utimesSync(path, new Date(), new Date());
  } catch {
    // A disk that does not answer for a moment: the next beat tells.
  }
}

function isLeftBehind(text: string, unchangedFor: number): boolean {
  const parsed = holder.safeParse(parsedJson(text));
  // No process of a machine that lost its power: the file is there, its content is not.
  if (!parsed.success) return unchangedFor > unreadablePatience;
  return parsed.data.host === hostname() ? !isAlive(parsed.data) : unchangedFor > foreignPatience;
}

/** One process at a time removes what others left, so that none removes a lock that was taken since it looked. */
function removeLeftBehind(path: string, lock: Look, own: string, unchangedFor: number): void {
  const removal = `${path}.removal`;
  if (createWhole(removal, own)) {
    if (look(path).state === lock.state) rmSync(path, { force: true });
    rmSync(removal, { force: true });
  } else if (isLeftBehind(look(removal).text, unchangedFor - foreignPatience)) {
    rmSync(removal, { force: true });
  }
}

interface Look {
  readonly text: string;
  /** Changes with every sign of life. */
  readonly state: string;
}

// Opening asks a network file system for the file as it is now, where a mere `stat` may answer from memory.
function look(path: string): Look {
  try {
    const descriptor = openSync(path, 'r');
    try {
      const text = readFileSync(descriptor, 'utf8');
      return { text, state: `${fstatSync(descriptor).mtimeMs} ${text}` };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return { text: '', state: '' };
  }
}
