// A lock that processes wait for, on one machine or on several that share a folder. It is a file created with `link`,
// which succeeds for exactly one process even on network file systems; their advisory locks (flock) may let everyone in.

import { randomUUID } from 'node:crypto';
import { rmSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWhole } from '../files/createWhole.js';
import { type Holder, isAlive, lockAt, parseHolder, refuseFolder, thisProcess } from './holder.js';

const beatEvery = 5000;
/**
 * A lock from another machine that stays unchanged for this long was left by a process that died. The time is measured
 * locally, from when the lock was last seen to change; the machines' clocks are never compared.
 */
const foreignPatience = 60_000;
const unreadablePatience = 2000;

export interface SharedLockOptions {
  /** Milliseconds between checks of a lock that another process holds. Default 5. */
  readonly pause?: number;
  /** Called once if another process holds the lock, with that process if it can be read. */
  readonly onWait?: (holder: Holder | undefined) => void;
  /** Stops the waiting when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** A lock that this process holds until it is disposed of. */
export interface SharedLock extends Disposable {
  /** Aborted if the lock was lost, for example after the machine slept for more than a minute. */
  readonly lost: AbortSignal;
}

/**
 * Waits until no other process holds a lock, and takes it. A holder shows that it is alive by touching the file. A
 * killed holder is noticed at once on its own machine, and after a minute on others.
 *
 * @throws FileError if the lock cannot be written
 *
 * @example
 * using lock = await takeSharedLock('weights/model.lock');
 * await download({ signal: lock.lost });
 */
export async function takeSharedLock(
  path: string,
  { pause = 5, onWait, signal }: SharedLockOptions = {},
): Promise<SharedLock> {
  const own = JSON.stringify({ ...thisProcess(), token: randomUUID() });
  let seen: { readonly state: string; readonly since: number } | undefined;
  while (!createWhole(path, own)) {
    refuseFolder(path);
    const lock = look(path);
    if (!seen) onWait?.(parseHolder(lock.text));
    if (lock.state !== seen?.state) seen = { state: lock.state, since: performance.now() };
    const unchangedFor = performance.now() - seen.since;
    if (isLeftBehind(lock.text, unchangedFor)) removeLeftBehind(path, lock, own, unchangedFor);
    else await sleep(pause * (1 + Math.random()), undefined, { ...(signal && { signal }) });
  }
  const lost = new AbortController();
  const beat = setInterval(() => showLife(path, own, lost), beatEvery);
  beat.unref();
  return {
    lost: lost.signal,
    [Symbol.dispose]() {
      clearInterval(beat);
      if (look(path).text === own) rmSync(path, { force: true });
    },
  };
}

/**
 * Waits for a lock, then calls a function while holding it.
 *
 * @param work receives a signal that aborts if the lock is lost, as after the machine slept for over a minute
 *
 * @example
 * await withSharedLock('weights/model.lock', () => download());
 */
export async function withSharedLock<Result>(
  path: string,
  work: (lost: AbortSignal) => Result | Promise<Result>,
  options: SharedLockOptions = {},
): Promise<Result> {
  using lock = await takeSharedLock(path, options);
  return await work(lock.lost);
}

function showLife(path: string, own: string, lost: AbortController): void {
  try {
    if (look(path).text !== own) lost.abort();
    else utimesSync(path, new Date(), new Date());
  } catch {
    // The disk may be unresponsive for a moment; the next heartbeat tries again.
  }
}

function isLeftBehind(text: string, unchangedFor: number): boolean {
  const holder = parseHolder(text);
  // After a power cut the file may exist without its content.
  if (!holder) return unchangedFor > unreadablePatience;
  return holder.host === hostname() ? !isAlive(holder) : unchangedFor > foreignPatience;
}

/** Only one process at a time removes stale locks, so that none removes a lock taken since it looked. */
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
  /** Changes with every heartbeat. */
  readonly state: string;
}

function look(path: string): Look {
  try {
    const { text, mtimeMs } = lockAt(path);
    return { text, state: `${mtimeMs} ${text}` };
  } catch {
    return { text: '', state: '' };
  }
}
