import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { waitAskedFor } from '@anyclass/files/downloads';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { cachedHubFile, snapshotPath } from './hubCache.js';
import { checkHubFile } from './hubFile.js';
import { hubSettings } from './settings.js';

test("environment variables are read as Python's huggingface_hub reads them", () => {
  const root = join(homedir(), '.cache');
  expect(hubSettings({})).toMatchObject({
    endpoint: 'https://huggingface.co',
    cache: join(root, 'huggingface', 'hub'),
    addressCache: join(root, 'anyclass', 'weights'),
    isOffline: false,
  });
  expect(hubSettings({ XDG_CACHE_HOME: '/x' }).cache).toBe('/x/huggingface/hub');
  expect(hubSettings({ XDG_CACHE_HOME: '/x', HF_HOME: '~/hf' }).cache).toBe(join(homedir(), 'hf', 'hub'));
  expect(
    hubSettings({ HF_HOME: '/hf', HF_HUB_CACHE: ['$BIG/$', '{NAME}'].join(''), BIG: '/big', NAME: 'cache' })
      .cache,
  ).toBe('/big/cache');
  expect(hubSettings({ HF_ENDPOINT: 'https://mirror.example/' }).endpoint).toBe('https://mirror.example');
  expect(hubSettings({ ANYCLASS_HOME: '/a' }).addressCache).toBe('/a/weights');
  for (const value of ['1', 'ON', 'yes', 'True'])
    expect(hubSettings({ HF_HUB_OFFLINE: value }).isOffline).toBe(true);
  for (const value of ['0', 'off', '']) expect(hubSettings({ HF_HUB_OFFLINE: value }).isOffline).toBe(false);
});

test('the token comes from the variable, or else from the file that a login left', () => {
  const home = testFolder();
  expect(hubSettings({ HF_HOME: home }).token).toBeUndefined();
  writeFileSync(join(home, 'token'), 'of-the-file\n');
  expect(hubSettings({ HF_HOME: home }).token).toBe('of-the-file');
  expect(hubSettings({ HF_HOME: home, HF_TOKEN: ' of-the-variable ' }).token).toBe('of-the-variable');
});

test('no accepted file name leads out of its snapshot, and no repository name out of the cache', () => {
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    'a',
    'model.bin',
    '...',
    'a b',
    '\\',
    'C:',
    '\u0000',
    '~',
    '%2e%2e',
  );
  const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(path, path, path, (repository, revision, file) => {
      const wanted = { repository, revision, file };
      try {
        checkHubFile(wanted);
      } catch {
        expect(() => cachedHubFile('/cache', wanted)).toThrow();
        return;
      }
      const snapshot = resolve('/cache', `models--${repository.replace('/', '--')}`, 'snapshots', 'commit');
      const below = relative(snapshot, snapshotPath('/cache', wanted, 'commit'));
      expect(below.startsWith('..') || isAbsolute(below) || below === '').toBe(false);
    }),
  );
  const names = { repository: 'a/b', revision: 'refs/pr/1', file: 'deep/er/model.bin' };
  expect(() => checkHubFile(names)).not.toThrow();
});

test('Retry-After is a number of seconds or a date', () => {
  const now = Date.parse('2025-01-31T12:00:00Z');
  expect(waitAskedFor('7', now)).toBe(7);
  expect(waitAskedFor('Fri, 31 Jan 2025 12:00:10 GMT', now)).toBe(10);
  expect(waitAskedFor('Fri, 31 Jan 2025 11:00:00 GMT', now)).toBe(0);
  expect(waitAskedFor('soon', now)).toBeUndefined();
  expect(waitAskedFor(null, now)).toBeUndefined();
});
