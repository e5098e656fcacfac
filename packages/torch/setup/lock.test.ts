import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anyclass-lock-'));
  path = join(folder, 'setup.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('work under a lock never overlaps, and who waits is told for whom', async () => {
  const lines: string[] = [];
  let working = 0;
  const work = async () => {
    working++;
    expect(working).toBe(1);
    await setTimeout(20);
    working--;
  };
  await Promise.all(Array.from({ length: 4 }, () => withLock(path, (line) => lines.push(line), work)));
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain(`process ${process.pid}`);
  expect(existsSync(path)).toBe(false);
});

test('the lock is released where the work fails', async () => {
  const failing = withLock(
    path,
    () => {},
    () => Promise.reject(new Error('no compiler')),
  );
  await expect(failing).rejects.toThrow('no compiler');
  expect(existsSync(path)).toBe(false);
});

test('a lock whose holder has been silent is taken over', async () => {
  writeFileSync(path, 'process 1 on another machine, 00000000');
  utimesSync(path, 1, 1);
  expect(
    await withLock(
      path,
      () => {},
      async () => 'done',
    ),
  ).toBe('done');
  expect(existsSync(path)).toBe(false);
});
