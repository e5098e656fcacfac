import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/testFolder.js';
import { LockedError, takeLock } from './exclusiveLock.js';
import { takeSharedLock } from './sharedLock.js';

const folder = testFolder();

test('a folder in place of the lock is left as it is, with its contents', async () => {
  const path = join(folder, 'lock');
  mkdirSync(path);
  writeFileSync(join(path, 'mine.txt'), 'text');
  expect(() => takeLock(path)).toThrow('lock: it is a folder');
  await expect(takeSharedLock(path)).rejects.toThrow('lock: it is a folder');
  expect(readdirSync(folder)).toEqual(['lock']);
  expect(readdirSync(path)).toEqual(['mine.txt']);
});

test('a process on another machine holds its lock while it keeps rewriting it, and loses it soon after', () => {
  const path = join(folder, 'elsewhere');
  const holder = JSON.stringify({ host: 'another-machine', pid: process.pid, started: '1' });
  writeFileSync(path, holder);
  expect(() => takeLock(path)).toThrow(LockedError);
  const silentFor = (seconds: number) => utimesSync(path, new Date(), Date.now() / 1000 - seconds);
  silentFor(240);
  expect(() => takeLock(path)).toThrow(LockedError);
  silentFor(360);
  {
    using _lock = takeLock(path);
    expect(readFileSync(path, 'utf8')).not.toContain('another-machine');
  }
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(folder)).toEqual(['lock']);
});
