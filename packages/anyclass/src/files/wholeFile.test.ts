import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { testFolder } from '../../../files/test/testFolder.js';
import { readWhole } from './wholeFile.js';

test('a file of a run that is a pipe or a device is refused by kind, instead of waited for or read without end', () => {
  const folder = testFolder();
  execFileSync('mkfifo', [join(folder, 'pipe.json')]);
  symlinkSync('/dev/zero', join(folder, 'zero.json'));
  const read = (name: string) => () => readWhole(join(folder, name), z.unknown(), 'train again');
  expect(read('pipe.json')).toThrow(/pipe\.json is a named pipe, not a file; train again/);
  expect(read('zero.json')).toThrow(/zero\.json is a device, not a file; train again/);
});
