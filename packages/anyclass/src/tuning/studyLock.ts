// One process at a time changes a study, for a moment only.

import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isAlive, thisProcess } from '../files/processLock.js';
import { createWhole, parsedJson } from '../files/wholeFile.js';

const pauseMilliseconds = 5;
/**
 * A lock of another machine that stays the same for so long was left by a process that died. The time is measured here,
 * from when the lock was first seen: clocks of machines are never compared.
 */
const foreignPatience = 30_000;
const unreadablePatience = 2000;

const holder = z.object({ host: z.string(), pid: z.int(), started: z.string(), token: z.string() });

/**
 * Calls a function while no other process is inside a call for the same folder; waits until it may.
 *
 * @example
 * await withStudyLock('studies/sewer', () => journal.append([event]));
 */
export async function withStudyLock<Result>(folder: string, change: () => Result): Promise<Result> {
  const path = join(folder, 'lock');
  const own = JSON.stringify({ ...thisProcess(), token: randomUUID() });
  let seen: { readonly text: string; readonly since: number } | undefined;
  while (!createWhole(path, own)) {
    const text = read(path);
    if (text !== seen?.text) seen = { text, since: performance.now() };
    const unchangedFor = performance.now() - seen.since;
    if (isLeftBehind(text, unchangedFor)) removeLeftBehind(path, text, own, unchangedFor);
    else await sleep(pauseMilliseconds * (1 + Math.random()));
  }
  try {
    return change();
  } finally {
    if (read(path) === own) rmSync(path, { force: true });
  }
}

function isLeftBehind(text: string, unchangedFor: number): boolean {
  const parsed = holder.safeParse(parsedJson(text));
  // No process of a machine that lost its power: the file is there, its content is not.
  if (!parsed.success) return unchangedFor > unreadablePatience;
  return parsed.data.host === hostname() ? !isAlive(parsed.data) : unchangedFor > foreignPatience;
}

/** One process at a time removes what others left, so that none removes a lock that was taken since it looked. */
function removeLeftBehind(path: string, text: string, own: string, unchangedFor: number): void {
  const removal = `${path}.removal`;
  if (createWhole(removal, own)) {
    if (read(path) === text) rmSync(path, { force: true });
    rmSync(removal, { force: true });
  } else if (isLeftBehind(read(removal), unchangedFor - foreignPatience)) {
    rmSync(removal, { force: true });
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
