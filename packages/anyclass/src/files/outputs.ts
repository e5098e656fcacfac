// Files and folders that a user names to be written. What is wrong with a name is reported before long work starts, with its option.

import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isSpecialFile } from '@anyclass/torch/files';
import { UserError } from '../errors/userError.js';
import { fileProblem, remedyOf } from './fileProblem.js';
import { type ReplacingRules, refuseReplacing } from './replacing.js';
import { type Draft, draftFor, writeWhole } from './wholeFile.js';

/**
 * Throws where a file cannot be written, or would replace what it must not. Nothing is made yet: missing folders are made when
 * the file is written.
 *
 * @example
 * checkOutputFile('--out', 'figures', { kind: 'an HTML page' }) // UserError: --out figures cannot be written: it is a folder
 */
export function checkOutputFile(option: string, path: string, rules: ReplacingRules): void {
  checkWritable(option, path);
  telling(option, path, () => refuseReplacing(path, rules));
}

function checkWritable(option: string, path: string): void {
  telling(option, path, () => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new UserError('it is a folder');
    if (isSpecialFile(path)) accessSync(path, constants.W_OK);
    else checkFolder(dirname(resolve(path)));
  });
}

/**
 * Throws where no files can be written into a folder, which may be missing still.
 *
 * @example
 * checkOutputFolder('--assets', 'report.html') // UserError: --assets report.html cannot be written: it is a file, not a folder
 */
export function checkOutputFolder(option: string, path: string): void {
  telling(option, path, () => checkFolder(resolve(path)));
}

/** Writes a file that `option` names, and the folders above it. */
export function writeOutput(option: string, path: string, text: string): void {
  makeFolderOf(option, path);
  writeWhole(path, text);
}

/** Begins a file that `option` names, and makes the folders above it. */
export function draftOutput(option: string, path: string): Draft {
  makeFolderOf(option, path);
  return draftFor(path);
}

/** Makes the folders above a file that `option` names. */
export function makeFolderOf(option: string, path: string): void {
  checkWritable(option, path);
  telling(option, path, () => mkdirSync(dirname(path), { recursive: true }));
}

/** The folder must be one that can be written to, or the nearest one above it that is there. */
function checkFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    checkFolder(dirname(path));
    return;
  }
  if (!found.isDirectory()) throw new UserError('it is a file, not a folder');
  accessSync(path, constants.W_OK | constants.X_OK);
}

function telling(option: string, path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new UserError(`${option} ${path} cannot be written: ${fileProblem(error)}${remedyOf(error)}`, {
      cause: error,
    });
  }
}
