import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { randomlyDamaged, rewritten } from '../../test/hostile/damage.js';
import { checkpointOf, refusedFiles } from '../../test/hostile/evilArchives.js';
import { programs, refusedPickles } from '../../test/hostile/evilPickles.js';
import { described } from '../../test/hostile/fixture.js';
import { CheckpointError } from './errors.js';
import { readPytorchCheckpoint } from './pytorchCheckpoint.js';

const folder = testFolder();
const path = join(folder, 'hostile.pt');
const marker = join(folder, 'a-program-ran');

const damaged = randomlyDamaged(20250605, 4);
const rewrittenFiles = rewritten(1_000_003, 8);
let memoryBefore = 0;
beforeAll(() => {
  memoryBefore = process.resourceUsage().maxRSS;
});

test('there are at least 300 damaged or hostile files', () => {
  const count = damaged.length + rewrittenFiles.length + refusedFiles.length + refusedPickles.length;
  expect(count + programs(marker).length).toBeGreaterThanOrEqual(300);
});

test.each(damaged)('$name yields the right values or our error', ({ bytes, original }) => {
  expectOutcome(bytes, (value) => expect(value).toEqual(original.expected));
});

test.each(rewrittenFiles)('$name yields valid values or our error', ({ bytes }) => {
  expectOutcome(bytes, (value) => expect(value).toBeDefined());
});

describe('a file is refused that is or has', () => {
  test.each(refusedFiles)('%s', (_, bytes, message) => expectRefusal(bytes, message));
});

describe('a pickle is refused that has', () => {
  test.each(refusedPickles)('%s', (_, pickle, message) => expectRefusal(checkpointOf(pickle), message));
});

describe('nothing runs, and the result names what was left out:', () => {
  test.each(programs(marker))('%s', (_, pickle, className) => {
    writeFileSync(path, checkpointOf(pickle));
    const { value, skipped } = readPytorchCheckpoint(path);
    expect(value).toEqual({ className, path: '' });
    expect(skipped).toEqual([{ className, path: '' }]);
    expect(() => readPytorchCheckpoint(path, { onUnknown: 'refuse' })).toThrow(className);
    expect(existsSync(marker)).toBe(false);
  });
});

// Last, so that it covers all of the above: the process's peak memory, in KiB.
test('none of them takes more than 1 GiB', () => {
  expect(process.resourceUsage().maxRSS - memoryBefore).toBeLessThan(2 ** 20);
});

/** `check` receives a description of the result; making it visits every value. */
function expectOutcome(bytes: Uint8Array, check: (value: unknown) => void): void {
  writeFileSync(path, bytes);
  let value: unknown;
  try {
    value = described(readPytorchCheckpoint(path).value);
  } catch (error) {
    expectOurs(error);
    return;
  }
  check(value);
}

function expectRefusal(bytes: Uint8Array, message: RegExp): void {
  writeFileSync(path, bytes);
  let thrown: unknown;
  try {
    readPytorchCheckpoint(path);
  } catch (error) {
    thrown = error;
  }
  expectOurs(thrown);
  expect(String(thrown)).toMatch(message);
}

function expectOurs(error: unknown): void {
  expect(error).toBeInstanceOf(CheckpointError);
  expect(String(error)).toContain(path);
}
