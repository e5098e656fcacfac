import { symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { newFolder } from './retrain.js';

test('two windows that train again at once get a folder each', () => {
  const runs = testFolder();
  symlinkSync('nowhere', join(runs, 'first-mended-2'));
  const names = [1, 2, 3].map(() => basename(newFolder(join(runs, 'first'))));
  expect(names).toEqual(['first-mended', 'first-mended-3', 'first-mended-4']);
  expect(basename(newFolder(join(runs, 'first-mended-3')))).toBe('first-mended-5');
});
