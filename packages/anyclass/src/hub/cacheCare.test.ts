import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { sha256 } from '../../test/fakeHub.mjs';
import { removeHubFile, verifyHubFile } from './cacheCare.js';
import { blobPath, cachedHubFile, linkSnapshot, lockPath } from './hubCache.js';
import { hubSettings } from './settings.js';

const folder = testFolder();

const content = Buffer.from('weights');
const hash = sha256(content);
const [first, second] = ['a'.repeat(40), 'b'.repeat(40)] as const;
const file = { repository: 'ada/pipes', file: 'model.safetensors' };

let settings: ReturnType<typeof hubSettings>;
beforeEach(() => {
  settings = hubSettings({ HF_HOME: mkdtempSync(join(folder, 'home-')) });
  const blob = blobPath(settings.cache, file.repository, hash);
  for (const path of [blob, lockPath(settings.cache, file.repository, hash)])
    mkdirSync(dirname(path), { recursive: true });
  writeFileSync(blob, content);
  linkSnapshot(settings.cache, { ...file, revision: 'old' }, first, hash);
  linkSnapshot(settings.cache, { ...file, revision: 'main' }, second, hash);
});

const names = (...parts: string[]) =>
  readdirSync(join(settings.cache, 'models--ada--pipes', ...parts)).sort();

test('bytes that another revision needs stay until the last link to them is removed', async () => {
  expect(await removeHubFile(settings, { ...file, revision: 'old' })).toBe(0);
  expect([names('snapshots'), names('refs'), names('blobs')]).toEqual([[second], ['main'], [hash]]);
  expect(await verifyHubFile(settings, { ...file, revision: 'main' })).toMatchObject({
    ok: true,
    found: hash,
  });
  expect(await removeHubFile(settings, { ...file, revision: 'main' })).toBe(content.length);
  expect([names('snapshots'), names('refs'), names('blobs')]).toEqual([[], [], []]);
  expect(await removeHubFile(settings, { ...file, revision: 'main' })).toBeUndefined();
});

test('other files of a snapshot stay, and what an unfinished download left is removed', async () => {
  linkSnapshot(settings.cache, { ...file, file: 'deep/other.bin', revision: 'main' }, second, hash);
  const partial = blobPath(settings.cache, file.repository, `${'c'.repeat(64)}.anyclass.incomplete`);
  writeFileSync(partial, 'half');
  writeFileSync(`${partial}.json`, '{}');
  expect(await removeHubFile(settings, { ...file, revision: 'main' })).toBe('half'.length);
  expect(names('blobs')).toEqual([hash]);
  expect(cachedHubFile(settings.cache, { ...file, file: 'deep/other.bin', revision: 'main' })?.commit).toBe(
    second,
  );
  expect(cachedHubFile(settings.cache, { ...file, revision: 'main' })).toBeUndefined();
});

test('a damaged file is distinguished from an intact one', async () => {
  writeFileSync(blobPath(settings.cache, file.repository, hash), 'damaged');
  expect(await verifyHubFile(settings, { ...file, revision: 'main' })).toMatchObject({
    ok: false,
    expected: hash,
  });
  expect(await verifyHubFile(settings, { ...file, revision: 'other' })).toBeUndefined();
});
