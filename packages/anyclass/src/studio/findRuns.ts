// Finds the runs below a folder.

import { type Dirent, existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileProblem } from '@anyclass/files';
import { archiveFolder, type Folder, idOf } from './folders.js';

export interface FoundRun {
  readonly id: string;
  readonly path: string;
  readonly folder: Folder;
  readonly isArchived: boolean;
}

export interface FoundRuns {
  readonly runs: readonly FoundRun[];
  /** Folders that could not be read, and why. */
  readonly problems: readonly string[];
}

/** Deeper folders are not searched, and neither are more than this many. */
const deepest = 6;
const mostFolders = 20_000;
const skipped = new Set(['node_modules', 'checkpoints', 'scores', 'tensorboard', 'decisions']);

/**
 * Searches a folder for runs. Links are not followed, since they may lead out of it; what they name inside of it is found anyway.
 *
 * @example
 * (await findRuns(folder)).runs.map(({ id }) => id) // ['compare/bce-seed1', 'sewer']
 */
export async function findRuns(folder: Folder): Promise<FoundRuns> {
  const runs: FoundRun[] = [];
  const problems: string[] = [];
  let level = [folder.path];
  let seen = 0;
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    seen += level.length;
    if (seen > mostFolders) {
      problems.push(`${folder.given} has more than ${mostFolders} folders; name the one that holds the runs`);
      break;
    }
    const inner = await Promise.all(level.map((path) => searched(path, problems)));
    level = inner.flatMap(({ run, folders }) => {
      if (run !== undefined) runs.push(foundRun(folder, run));
      return folders;
    });
  }
  return { runs: runs.sort((a, b) => (a.id < b.id ? -1 : 1)), problems };
}

async function searched(path: string, problems: string[]): Promise<{ run?: string; folders: string[] }> {
  let entries: Dirent[];
  try {
    entries = await readdir(path, { withFileTypes: true });
  } catch (error) {
    // A folder that is deleted meanwhile is no problem.
    if (existsSync(path)) problems.push(`${path}: ${fileProblem(error)}`);
    return { folders: [] };
  }
  const isRun = isRunListing(entries);
  const folders = entries
    .filter((entry) => entry.isDirectory() && isSearched(entry.name))
    .map(({ name }) => join(path, name));
  return isRun ? { run: path, folders } : { folders };
}

/** A run has its configuration, and folders or logs that training makes; other programs have a config.json too. */
function isRunListing(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name));
  return (
    names.has('config.json') &&
    (names.has('checkpoints') || names.has('events.jsonl') || names.has('metrics.jsonl'))
  );
}

function isSearched(name: string): boolean {
  return name === archiveFolder || !(name.startsWith('.') || skipped.has(name));
}

function foundRun(folder: Folder, path: string): FoundRun {
  const id = idOf(folder, path);
  return { id, path, folder, isArchived: id.split('/').includes(archiveFolder) };
}
