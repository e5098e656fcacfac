import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draftFile, isPartial, isSpecialFile, temporaryFolder, writeFileAtomically } from '../index.js';

let folder = '';
const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anyclass-drafts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the old file stays until the draft is finished; then only the new one is there', () => {
  writeFileSync(at('rows.csv'), 'old');
  const draft = draftFile(at('rows.csv'));
  draft.write('né');
  draft.write(new Uint8Array([0x77, 0x0a]));
  expect(read('rows.csv')).toBe('old');
  draft.finish();
  expect(read('rows.csv')).toBe('néw\n');
  expect(readdirSync(folder)).toEqual(['rows.csv']);
});

test('a draft is next to its file as .partial-…; what is left of it is named after the file', () => {
  const [one, other] = [draftFile(at('a')), draftFile(at('b'), { ending: '.onnx' })];
  expect(readdirSync(folder).every(isPartial)).toBe(true);
  expect(other.path).toMatch(/\.partial-\d+-\w{16}\.onnx$/);
  one.discard();
  other.write('half');
  expect(other.leave()).toBe(at(`b.${process.pid}.part`));
  expect(readdirSync(folder)).toEqual([`b.${process.pid}.part`]);
  expect(read(`b.${process.pid}.part`)).toBe('half');
});

test('an old draft of a dead process is removed by the next one in the folder; a recent one and that of a living process are not', () => {
  const dead = 2 ** 22 - 3;
  const names = [dead, dead, process.pid].map((pid, i) => `.partial-${pid}-${String(i).repeat(16)}`);
  const [old, recent, living] = names as [string, string, string];
  for (const name of names) writeFileSync(at(name), 'half');
  for (const name of [old, living]) utimesSync(at(name), 1e9, 1e9);
  writeFileAtomically(at('rows.csv'), (write) => write('whole'));
  expect(readdirSync(folder).sort()).toEqual([living, recent, 'rows.csv'].sort());
});

test.skipIf(process.getuid?.() !== 0)('an old draft of another user is not removed (needs root)', () => {
  const foreign = `.partial-${2 ** 22 - 3}-${'f'.repeat(16)}`;
  writeFileSync(at(foreign), 'half');
  utimesSync(at(foreign), 1e9, 1e9);
  chownSync(at(foreign), 1234, 1234);
  writeFileAtomically(at('rows.csv'), (write) => write('whole'));
  expect(readdirSync(folder).sort()).toEqual([foreign, 'rows.csv']);
});

test('a temporary folder that a killed process left is removed by the next one, a recent one is not', () => {
  const name = `anyclass-leftovers-${process.pid}`;
  const [old, recent] = ['aaaaaa', 'bbbbbb'].map((end) => join(tmpdir(), `${name}-${2 ** 22 - 3}-${end}`));
  for (const path of [old!, recent!]) mkdirSync(join(path, 'inside'), { recursive: true });
  utimesSync(old!, 1e9, 1e9);
  const made = temporaryFolder(name);
  expect([old!, recent!, made].map((path) => existsSync(path))).toEqual([false, true, true]);
  for (const path of [recent!, made]) rmSync(path, { recursive: true });
});

test('a failure in the middle leaves the old file and no draft', () => {
  writeFileSync(at('kept'), 'old');
  const failing = () =>
    writeFileAtomically(at('kept'), (write) => {
      write('half');
      throw new RangeError('lost');
    });
  expect(failing).toThrow('lost');
  expect(read('kept')).toBe('old');
  expect(readdirSync(folder)).toEqual(['kept']);
});

describe('a link is followed', () => {
  test.each(['a file that is there', 'a file that is not', 'another link'])('to %s', (target) => {
    if (target === 'a file that is there') writeFileSync(at('file'), 'old');
    if (target === 'another link') symlinkSync('file', at('middle'));
    symlinkSync(target === 'another link' ? 'middle' : 'file', at('link'));
    writeFileAtomically(at('link'), (write) => write('new'));
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(read('file')).toBe('new');
  });

  test('in a circle to an error', () => {
    symlinkSync('b', at('a'));
    symlinkSync('a', at('b'));
    expect(() => draftFile(at('a'))).toThrow(/ELOOP/);
  });
});

test.skipIf(!existsSync('/dev/shm'))('a file in /dev/shm is replaced as anywhere else', () => {
  const inMemory = mkdtempSync('/dev/shm/anyclass-draft-');
  try {
    for (const text of ['first', 'second'])
      writeFileAtomically(join(inMemory, 'file'), (write) => write(text));
    expect(readFileSync(join(inMemory, 'file'), 'utf8')).toBe('second');
  } finally {
    rmSync(inMemory, { recursive: true });
  }
});

test.skipIf(process.platform === 'win32')('a device is written to directly', () => {
  expect([isSpecialFile('/dev/null'), isSpecialFile(folder), isSpecialFile(at('none'))]).toEqual([
    true,
    true,
    false,
  ]);
  const draft = draftFile('/dev/null');
  draft.write('text');
  draft.finish();
  expect(draft.path).toBe('/dev/null');
  expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  const other = draftFile('/dev/null');
  other.discard();
  expect(existsSync('/dev/null')).toBe(true);
});

describe.skipIf(process.platform === 'win32')('a named pipe (not on Windows)', () => {
  test('gets everything that is written once a program reads from it', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const reader = spawn('sh', ['-c', `sleep 0.3; cat ${at('pipe')}`]);
    const received = new Promise<string>((done) => {
      let text = '';
      reader.stdout.on('data', (part) => (text += String(part)));
      reader.once('close', () => done(text));
    });
    const draft = draftFile(at('pipe'));
    draft.write('first ');
    draft.write('second');
    draft.finish();
    expect(await received).toBe('first second');
  });

  test('without a reader is refused after a while, instead of waiting for ever', () => {
    execFileSync('mkfifo', [at('pipe')]);
    expect(() => draftFile(at('pipe'))).toThrow('no program reads from this pipe');
  });
});
