import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { checkOutputFile, checkOutputFolder, draftOutput, writeOutput } from './outputs.js';
import { writeWhole } from './wholeFile.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

test('a link is followed, whether or not its target exists', () => {
  writeFileSync(at('old.txt'), 'old');
  symlinkSync('old.txt', at('link'));
  symlinkSync('new.txt', at('dangling'));
  writeWhole(at('link'), 'text');
  writeWhole(at('dangling'), 'text');
  expect(lstatSync(at('link')).isSymbolicLink() && lstatSync(at('dangling')).isSymbolicLink()).toBe(true);
  expect([readFileSync(at('old.txt'), 'utf8'), readFileSync(at('new.txt'), 'utf8')]).toEqual([
    'text',
    'text',
  ]);
});

test.skipIf(process.platform === 'win32')('a device stays a device', () => {
  writeWhole('/dev/null', 'text');
  expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
});

test.skipIf(process.platform === 'win32')('a pipe is written to and stays a pipe', () => {
  spawnSync('mkfifo', [at('pipe')]);
  const module = new URL('../../dist/files/wholeFile.js', import.meta.url).href;
  const writing = `import('${module}').then(({ writeWhole }) => writeWhole('pipe', 'text'))`;
  const { stdout } = spawnSync('bash', ['-c', `'${process.execPath}' -e "${writing}" & cat pipe; wait`], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stdout).toBe('text');
  expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
});

test('a failed write is reported with the given path and leaves nothing behind', () => {
  mkdirSync(at('taken'));
  expect(() => writeWhole(at('taken'), 'text')).toThrow(`${at('taken')} cannot be written: it is a folder`);
  expect(() => writeWhole(at('none', 'x'), 'text')).toThrow(
    `${at('none', 'x')} cannot be written: no such file or folder`,
  );
  function* failing() {
    yield 'a';
    throw new RangeError('a bug');
  }
  writeFileSync(at('kept.txt'), 'old');
  expect(() => writeWhole(at('kept.txt'), failing())).toThrow('a bug');
  expect(readFileSync(at('kept.txt'), 'utf8')).toBe('old');
  expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
});

test('an output is checked before the work; its folders are created when it is written', () => {
  checkOutputFile('--html', at('deep', 'er', 'page.html'), { kind: 'an HTML page' });
  expect(readdirSync(folder)).not.toContain('deep');
  writeOutput('--html', at('deep', 'er', 'page.html'), 'text');
  expect(readFileSync(at('deep', 'er', 'page.html'), 'utf8')).toBe('text');
  expect(() => checkOutputFile('--html', at('deep'), { kind: 'an HTML page' })).toThrow(
    `--html ${at('deep')} cannot be written: it is a folder`,
  );
  expect(() => checkOutputFile('--html', at('old.txt', 'page.html'), { kind: 'an HTML page' })).toThrow(
    `--html ${at('old.txt', 'page.html')} cannot be written: part of the path is a file, not a folder`,
  );
  expect(() => checkOutputFolder('--assets', at('old.txt'))).toThrow(
    `--assets ${at('old.txt')} cannot be written: it is a file, not a folder`,
  );
});

test('a draft leaves the existing file untouched until it is finished', () => {
  writeFileSync(at('rows.csv'), 'old');
  const draft = draftOutput('--out', at('rows.csv'));
  draft.write('new');
  expect(readFileSync(at('rows.csv'), 'utf8')).toBe('old');
  draft.finish();
  expect(readFileSync(at('rows.csv'), 'utf8')).toBe('new');
  const other = draftOutput('--out', at('rows.csv'));
  other.write('half');
  other.discard();
  expect([
    readFileSync(at('rows.csv'), 'utf8'),
    readdirSync(folder).filter((n) => n.includes('.part')),
  ]).toEqual(['new', []]);
});
