import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runProgram } from '../commandLine/program.js';
import { firstError, messageOf } from './reasonOf.js';
import { UserError } from './userError.js';

const folder = testFolder();

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function failTwice(): never {
  using _closing = {
    [Symbol.dispose]() {
      throw new Error('closing failed');
    },
  };
  throw new UserError('the work failed', { exitCode: 7 });
}

test('a system error is put into words, with its path and what to do', () => {
  const error = thrownBy(() => readFileSync(join(folder, 'none.csv')));
  expect(messageOf(error)).toBe(`${join(folder, 'none.csv')}: no such file or folder`);
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    syscall: 'write',
    path: 'a.csv',
  });
  expect(messageOf(full)).toBe('a.csv: the disk is full; make room or choose another path');
});

test('the first failure is reported first, and decides the exit code', async () => {
  const error = thrownBy(failTwice);
  expect(messageOf(error)).toBe('the work failed; then: closing failed');
  expect(firstError(error)).toBeInstanceOf(UserError);
  const notes: string[] = [];
  const failing = {
    name: 'fail',
    summary: '',
    examples: [],
    options: (await import('zod')).z.object({}),
    run: failTwice,
  };
  const terminal = { print() {}, note: (text: string) => void notes.push(text), onEvent() {} };
  expect(await runProgram([failing], ['fail'], terminal)).toBe(7);
  expect(notes).toEqual(['anyclass: the work failed; then: closing failed']);
});
