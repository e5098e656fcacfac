// What anyclass leaves on a disk and can do without.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder, isLocked } from '@anyclass/files';
import { isRunFolder } from '../runs/runFolder.js';
import { spareCheckpoints } from '../training/spareCheckpoints.js';

export const removableKinds = ['checkpoints', 'caches', 'builds', 'weights'] as const;
export type RemovableKind = (typeof removableKinds)[number];

/** Something that can be removed without losing results. */
export interface Removable {
  readonly kind: RemovableKind;
  readonly path: string;
  readonly bytes: number;
  /** Whether a process works on it now; it is then left alone. */
  readonly isInUse: boolean;
  remove(): void;
}

/**
 * Finds what can be removed: checkpoints of finished runs and preprocessed images in a folder and below it; native
 * builds, downloaded libtorch and downloaded weights in the user's cache. Weights from the Hugging Face Hub are in a
 * cache that other programs share, and are left out.
 *
 * @example
 * findRemovable(['checkpoints'], 'runs')[0] // { kind: 'checkpoints', path: 'runs/sewer', bytes: 96195984, … }
 */
export function findRemovable(kinds: readonly RemovableKind[], folder: string): Removable[] {
  const finders: Readonly<Record<RemovableKind, () => Removable[]>> = {
    checkpoints: () => runsBelow(folder).flatMap(checkpointsOf),
    caches: () => entries(join(folder, '.anyclass/cache')).map((path) => whole('caches', path)),
    builds,
    weights: () => entries(join(homeFolder(), 'weights')).map((path) => whole('weights', path)),
  };
  return kinds.flatMap((kind) => finders[kind]());
}

function checkpointsOf(run: string): Removable[] {
  const spare = spareCheckpoints(run);
  if (!spare) return [];
  const isInUse = isLocked(join(run, 'lock'));
  return [{ kind: 'checkpoints', path: run, bytes: spare.bytes, isInUse, remove: spare.drop }];
}

/** Each build and each libtorch by itself, and what setup and tests keep between them. */
function builds(): Removable[] {
  const at = (name: string) => join(homeFolder(), name);
  const isInUse = isLocked(at('setup.lock'));
  const paths = [
    ...['native', 'libtorch', 'nodes'].flatMap((name) => entries(at(name))),
    ...['objects', 'downloads'].map(at).filter((path) => existsSync(path)),
  ];
  return paths.map((path) => ({ ...whole('builds', path), isInUse }));
}

/** A folder or file that is removed as a whole; in use if a process holds a lock in it. */
function whole(kind: RemovableKind, path: string): Removable {
  return {
    kind,
    path,
    bytes: bytesOf(path),
    isInUse: entries(path).some((name) => name.endsWith('.lock') && isLocked(name)),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The run folders in a folder, at any depth; hidden folders and installed packages are left out. */
function runsBelow(folder: string): string[] {
  if (isRunFolder(folder)) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .flatMap(({ name }) => runsBelow(join(folder, name)));
}

function entries(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(path)
    .sort()
    .map((name) => join(path, name));
}

/** The size of a file, or of all files in a folder. */
function bytesOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found?.size ?? 0;
  return entries(path).reduce((sum, name) => sum + bytesOf(name), 0);
}
