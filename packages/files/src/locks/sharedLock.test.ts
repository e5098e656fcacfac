import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { testFolder } from '../../test/testFolder.js';
import { withSharedLock } from './sharedLock.js';

const folder = testFolder();
afterEach(() => vi.restoreAllMocks());

let count = 0;
const lockPath = () => join(folder, `${count++}.lock`);

/** Makes `performance.now` run ahead by the function's result. */
function fastClock(ahead: () => number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead());
}

const elsewhere = (host: string) => JSON.stringify({ host, pid: 1, started: '1', token: 'other' });

test('holders of one lock take turns, and the lock is gone after the last', async () => {
  const path = lockPath();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} in`);
    await sleep(20);
    order.push(`${name} out`);
  };
  await Promise.all(['a', 'b', 'c'].map((name) => withSharedLock(path, work(name))));
  for (let i = 0; i < order.length; i += 2) expect(order[i + 1]).toBe(order[i]!.replace(' in', ' out'));
  expect(existsSync(path)).toBe(false);
});

test('a lock held by a dead process on this machine is taken over at once', async () => {
  const path = lockPath();
  writeFileSync(path, JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, started: '1', token: 'dead' }));
  expect(await withSharedLock(path, () => 'in')).toBe('in');
});

test('a lock held on another machine is respected while it shows heartbeats, and taken over a minute after the last', async () => {
  const path = lockPath();
  writeFileSync(path, elsewhere('a-machine-far-away'));
  let ahead = 0;
  fastClock(() => ahead);
  let isIn = false;
  const waiting = withSharedLock(path, () => {
    isIn = true;
  });
  for (let beat = 1; beat <= 3; beat++) {
    await sleep(30);
    ahead += 50_000; // most of the patience, then a heartbeat
    utimesSync(path, beat, beat);
    await sleep(30);
    expect(isIn).toBe(false);
  }
  ahead += 61_000;
  await waiting;
  expect(isIn).toBe(true);
});

test('a holder that lost its lock is notified, and leaves the new lock alone', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const path = lockPath();
    await withSharedLock(path, (lost) => {
      vi.advanceTimersByTime(6000);
      expect(lost.aborted).toBe(false);
      writeFileSync(path, elsewhere('thief'));
      vi.advanceTimersByTime(6000);
      expect(lost.aborted).toBe(true);
    });
    expect(readFileSync(path, 'utf8')).toBe(elsewhere('thief'));
  } finally {
    vi.useRealTimers();
  }
});

test('waiting stops when the signal aborts', async () => {
  const path = lockPath();
  writeFileSync(path, elsewhere('a-machine-far-away'));
  const waits: (string | undefined)[] = [];
  const waiting = withSharedLock(path, () => 'in', {
    signal: AbortSignal.timeout(30),
    onWait: (holder) => waits.push(holder?.host),
  });
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect(waits).toEqual(['a-machine-far-away']);
});

test('a lock whose content is lost is taken over after two seconds', async () => {
  const path = lockPath();
  writeFileSync(path, '');
  let ahead = 0;
  fastClock(() => ahead);
  const waiting = withSharedLock(path, () => 'in');
  await sleep(30);
  ahead = 2001;
  expect(await waiting).toBe('in');
});

test('the lock is released if the work fails, and a lock that cannot be written is an error', async () => {
  const path = lockPath();
  await expect(withSharedLock(path, () => Promise.reject(new Error('no compiler')))).rejects.toThrow(
    'no compiler',
  );
  expect(existsSync(path)).toBe(false);
  await expect(withSharedLock(join(folder, 'missing/a.lock'), () => 'in')).rejects.toMatchObject({
    code: 'ENOENT',
  });
});
