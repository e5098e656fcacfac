import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeFolder } from './home.js';

test('the home folder is ANYCLASS_HOME, otherwise in the XDG cache folder, otherwise in ~/.cache', () => {
  expect(homeFolder({ ANYCLASS_HOME: '/data/own', XDG_CACHE_HOME: '/var/caches' })).toBe('/data/own');
  expect(homeFolder({ ANYCLASS_HOME: ' ~/own ' })).toBe(join(homedir(), 'own'));
  expect(homeFolder({ XDG_CACHE_HOME: '/var/caches' })).toBe('/var/caches/anyclass');
  expect(homeFolder({ XDG_CACHE_HOME: 'relative' })).toBe(join(homedir(), '.cache/anyclass'));
  expect(homeFolder({})).toBe(join(homedir(), '.cache/anyclass'));
});
