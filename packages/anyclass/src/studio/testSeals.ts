// Who looked at test: a line for each time that Studio showed test metrics of a run, or what its model says about test images. A decision
// that is saved later was chosen by someone who knew them, and is marked.

import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, fileProblem } from '@anyclass/files';
import { isPlainObject } from '../configuration/overrides.js';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import { Problem } from '../web/problem.js';
import type { FoundRun } from './findRuns.js';

/** The folder of a run with its saved decisions, and the file with the times. */
export function decisionsFolder(run: string): string {
  return join(run, 'decisions');
}

function sealFile(run: string): string {
  return join(decisionsFolder(run), 'test-seen.jsonl');
}

/** When test metrics of a run were first seen; null if never. */
export function testSeen(run: string): string | null {
  const times = textOf(sealFile(run))
    .split('\n')
    .flatMap((line) => {
      const value = parsedJson(line);
      return isPlainObject(value) && typeof value['time'] === 'string' ? [value['time']] : [];
    });
  return times.sort()[0] ?? null;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw new UserError(`${path} cannot be read: ${fileProblem(error)}`);
  }
}

/** Refuses rows of test until it was noted that test of the run is open. */
export function refuseSealed({ id, path }: FoundRun, split: string): void {
  if (split === 'test' && testSeen(path) === null)
    throw new Problem(
      'bad-request',
      `test of ${id} is sealed while decisions are made; open it for a saved decision, in Compare or in Look`,
    );
}

/**
 * Notes that test metrics are about to be shown. If that cannot be noted, they must not be shown.
 *
 * @throws UserError if it cannot be written
 */
export function noteTestSeen(run: string, what: string, now = new Date()): string {
  const path = sealFile(run);
  try {
    mkdirSync(dirname(path), { recursive: true });
    // A full disk may have cut off the line before, which must not take this one with it.
    const isCut = !/(^|\n)$/.test(textOf(path));
    appendFileSync(path, `${isCut ? '\n' : ''}${JSON.stringify({ time: now.toISOString(), what })}\n`);
  } catch (error) {
    throw new UserError(
      `${path} cannot be written, and test metrics are only shown if that is noted: ${fileProblem(error)}`,
    );
  }
  return testSeen(run) ?? now.toISOString();
}
