import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeSharedLock } from '@anyclass/torch/files';
import { afterAll, expect, test } from 'vitest';
import { takeLock } from './processLock.js';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder where the lock would be is left as it is, with what it holds', async () => {
  const path = join(folder, 'lock');
  mkdirSync(path);
  writeFileSync(join(path, 'mine.txt'), 'text');
  expect(() => takeLock(path, (who) => `${who} works here`)).toThrow('lock is a folder');
  await expect(takeSharedLock(path)).rejects.toThrow('lock is a folder');
  expect(readdirSync(folder)).toEqual(['lock']);
  expect(readdirSync(path)).toEqual(['mine.txt']);
});
