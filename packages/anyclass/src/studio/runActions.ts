// What a user can do to a run from the list: stop it, put it away, or delete it, which moves it to a folder of its own. All but stopping
// can be undone.

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileProblem, isAlive, isLocked, lockAt } from '@anyclass/files';
import { z } from 'zod';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import type { FoundRun } from './findRuns.js';
import { archiveFolder, placeIn, refuseUnusual, trashFolder } from './folders.js';

const holder = z.object({ host: z.string(), pid: z.int().positive(), started: z.string() });

/**
 * Asks the process of a run to save and stop, as Ctrl-C does.
 *
 * @throws UserError if no process of this machine works on it
 */
export function stopRun({ id, path }: FoundRun): void {
  const text = readLock(join(path, 'lock'));
  const found = holder.safeParse(text === undefined ? undefined : parsedJson(text));
  if (!found.success || !isAlive(found.data)) throw new UserError(`${id}: no process works on it`);
  const { host, pid } = found.data;
  if (host !== hostname()) throw new UserError(`${id} runs on ${host}; stop it there: kill -INT ${pid}`);
  process.kill(pid, 'SIGINT');
}

function readLock(path: string): string | undefined {
  try {
    return lockAt(path).text;
  } catch {
    return undefined;
  }
}

/**
 * Moves a run to the archive or the trash of its folder.
 *
 * @returns where it is now
 * @throws UserError if a process works on it
 */
export function putAway(run: FoundRun, kind: 'archive' | 'trash'): string {
  const { folder, path } = run;
  const target =
    kind === 'archive'
      ? placeIn(folder.path, archiveFolder, path)
      : freePlace(placeIn(folder.path, trashFolder, path));
  return moved(run, target);
}

/** Moves an archived run back to its place. */
export function takeBack(run: FoundRun): string {
  const { folder, path } = run;
  const inner = relative(folder.path, path)
    .split(sep)
    .filter((part) => part !== archiveFolder);
  return moved(run, join(folder.path, ...inner));
}

function moved({ id, path, folder }: FoundRun, target: string): string {
  if (path === folder.path)
    throw new UserError(`${id} is the folder of Studio itself; start Studio with the folder above it`);
  if (isLocked(join(path, 'lock'))) throw new UserError(`${id} is being trained; stop it first`);
  if (existsSync(target)) throw new UserError(`${target} already exists; move it away first`);
  refuseUnusual([folder], target);
  try {
    mkdirSync(dirname(target), { recursive: true });
    renameSync(path, target);
  } catch (error) {
    throw new UserError(`${id} cannot be moved to ${target}: ${fileProblem(error)}`);
  }
  return target;
}

/** A path that does not exist yet: the same run may be deleted twice. */
function freePlace(path: string): string {
  for (let count = 1; ; count++) {
    const place = count === 1 ? path : `${path}-${count}`;
    if (!existsSync(place)) return place;
  }
}
