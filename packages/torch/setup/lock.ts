// One set-up at a time. Nothing breaks without the lock, since builds are whole or absent; it spares a second process the work of
// the first. The holder shows that it lives by touching the file, which works across machines that share a home.

import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Log } from './shell.js';

const heartbeat = 5_000;
const silence = 60_000;

/** Waits until nobody else holds the lock, and holds it while `work` runs. */
export async function withLock<Result>(
  path: string,
  log: Log,
  work: () => Promise<Result>,
  { patience = silence } = {},
): Promise<Result> {
  const own = `process ${process.pid} on ${hostname()}, ${randomBytes(4).toString('hex')}`;
  let told = false;
  while (!take(path, own)) {
    const holder = holderOf(path);
    if (holder && holder.silentFor > patience) removeStale(path, holder.name, own);
    else {
      if (holder && !told) log(`waiting for another set-up (${holder.name.replace(/,.*/, '')})`);
      told = true;
      await setTimeout(200);
    }
  }
  const beat = setInterval(() => touch(path), heartbeat);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if (holderOf(path)?.name === own) rmSync(path, { force: true });
  }
}

function take(path: string, own: string): boolean {
  try {
    writeFileSync(path, own, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function holderOf(path: string): { name: string; silentFor: number } | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) return undefined;
  try {
    return { name: readFileSync(path, 'utf8'), silentFor: Date.now() - status.mtimeMs };
  } catch {
    return undefined; // released meanwhile
  }
}

/** Another process may do the same at this moment: what was moved away must be what was found silent. */
function removeStale(path: string, silent: string, own: string): void {
  const aside = `${path}.${own.slice(-8)}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') === silent) rmSync(aside);
    else renameSync(aside, path);
  } catch {
    // The other was faster.
  }
}

function touch(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // Taken over after a silence, as of a machine that slept; the work goes on, and does no harm.
  }
}
