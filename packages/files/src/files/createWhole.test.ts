import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/testFolder.js';
import { createWhole } from './createWhole.js';

const folder = testFolder();

test('a file is created once, and an existing one stays as it is', () => {
  const path = join(folder, 'once');
  expect(createWhole(path, 'first')).toBe(true);
  expect(createWhole(path, 'second')).toBe(false);
  expect(readFileSync(path, 'utf8')).toBe('first');
  expect(readdirSync(folder)).toEqual(['once']);
});

test('a file that cannot be written is reported by its path', () => {
  const path = join(folder, 'none', 'lock');
  expect(() => createWhole(path, 'text')).toThrow(`${path}: no such file or folder`);
});

test.skipIf(process.platform === 'win32')('a file that exceeds the size limit leaves no draft', () => {
  const module = new URL('../../dist/files/createWhole.js', import.meta.url).href;
  const creating = `import('${module}').then(({ createWhole }) => createWhole('large', 'x'.repeat(4096)))`;
  const { stderr } = spawnSync(
    'bash',
    ['-c', `trap '' XFSZ; ulimit -f 1; '${process.execPath}' -e "${creating}"`],
    { cwd: folder, encoding: 'utf8' },
  );
  expect(stderr).toContain('large: the file would be too large');
  expect(readdirSync(folder).filter((name) => name.startsWith('large'))).toEqual([]);
});
