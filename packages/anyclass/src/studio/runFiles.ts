// What a run's folder holds is looked at before anything in it is opened: it may come from anywhere.

import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode, fileProblem } from '@anyclass/files';
import { UserError } from '../errors/userError.js';
import { runPaths } from '../runs/runFolder.js';
import type { FoundRun } from './findRuns.js';
import { type Folder, refuseUnusual } from './folders.js';
import { decisionsFolder } from './testSeals.js';

/** Bytes of a file that is read as a whole. */
export const largestFile = 512 << 20;

/** Files that are read in parts. */
const inParts = /^events\.jsonl$|\.safetensors$|\.csv$/;

/**
 * Refuses a run with a file that Studio cannot read safely: a pipe or a device, a folder in the place of a file, one that is too large,
 * or a link that leads out of Studio's folders.
 *
 * @throws UserError that names the file
 *
 * @example
 * checkRunFiles(run, folders)
 */
export function checkRunFiles({ path }: FoundRun, folders: readonly Folder[]): void {
  const { folder: _folder, checkpoints: _checkpoints, scores, ...files } = runPaths(path);
  const inner = [scores, decisionsFolder(path)].flatMap((folder) => filesIn(folder, folders));
  for (const file of [...Object.values(files), ...inner]) {
    refuseUnusual(folders, file);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new UserError(`${file} is a folder; expected a file`);
    if (found && found.size > largestFile && !inParts.test(basename(file)))
      throw new UserError(`${file} has ${found.size >> 20} MB; at most ${largestFile >> 20} MB are read`);
  }
}

/** The files of a folder that may be read. */
function filesIn(folder: string, folders: readonly Folder[]): string[] {
  refuseUnusual(folders, folder);
  try {
    const names = readdirSync(folder).filter((name) => /\.(csv|jsonl?|safetensors)$/.test(name));
    return names.map((name) => join(folder, name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw new UserError(`${folder} cannot be read: ${fileProblem(error)}`);
  }
}
