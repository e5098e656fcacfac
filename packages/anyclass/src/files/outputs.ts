// Output files and folders that a user names. A problem with a path is reported before long work starts,
// together with the option that named it.

import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileProblem, isSpecialFile, remedyOf } from '@anyclass/files';
import { UserError } from '../errors/userError.js';
import { type ReplacingRules, refuseReplacing } from './replacing.js';
import { type Draft, draftFor, writeWhole } from './wholeFile.js';

/**
 * Throws if a file cannot be written, or would replace something it must not. Nothing is created yet: missing
 * folders are created when the file is written.
 *
 * @example
 * checkOutputFile('--out', 'pages', { kind: 'an HTML page' }) // UserError: --out pages cannot be written: it is a folder
 */
export function checkOutputFile(option: string, path: string, rules: ReplacingRules): void {
  checkWritable(option, path);
  withPathInErrors(option, path, () => refuseReplacing(path, rules));
}

function checkWritable(option: string, path: string): void {
  withPathInErrors(option, path, () => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new UserError('it is a folder');
    if (isSpecialFile(path)) accessSync(path, constants.W_OK);
    else checkFolder(dirname(resolve(path)));
  });
}

/**
 * Throws if files cannot be written to a folder. The folder need not exist yet.
 *
 * @example
 * checkOutputFolder('--assets', 'report.html') // UserError: --assets report.html cannot be written: it is a file, not a folder
 */
export function checkOutputFolder(option: string, path: string): void {
  withPathInErrors(option, path, () => checkFolder(resolve(path)));
}

/** Writes the file that `option` names and creates the folders above it. */
export function writeOutput(option: string, path: string, text: string): void {
  makeFolderOf(option, path);
  writeWhole(path, text);
}

/** Starts a draft of the file that `option` names and creates the folders above it. */
export function draftOutput(option: string, path: string): Draft {
  makeFolderOf(option, path);
  return draftFor(path);
}

/** Creates the folders above the file that `option` names. */
export function makeFolderOf(option: string, path: string): void {
  checkWritable(option, path);
  withPathInErrors(option, path, () => mkdirSync(dirname(path), { recursive: true }));
}

/** Checks that the folder, or its nearest existing parent, can be written to. */
function checkFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    checkFolder(dirname(path));
    return;
  }
  if (!found.isDirectory()) throw new UserError('it is a file, not a folder');
  accessSync(path, constants.W_OK | constants.X_OK);
}

function withPathInErrors(option: string, path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new UserError(`${option} ${path} cannot be written: ${fileProblem(error)}${remedyOf(error)}`, {
      cause: error,
      ...(error instanceof UserError && error.setting !== undefined && { setting: error.setting }),
    });
  }
}
