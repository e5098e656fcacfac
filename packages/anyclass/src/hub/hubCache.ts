// The cache folder shared with Python's huggingface_hub:
//   models--OWNER--NAME/blobs/HASH                   the files, by their hash
//   models--OWNER--NAME/snapshots/COMMIT/FILE        links to them, by name
//   models--OWNER--NAME/refs/BRANCH                  the commit that a branch was last seen at
//   models--OWNER--NAME/.no_exist/COMMIT/FILE        empty: the commit has no such file
//   .locks/models--OWNER--NAME/                      locks; Python's are advisory, so ours have their own names

import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { errorCode } from '@anyclass/files';
import { writeWhole } from '../files/wholeFile.js';
import { checkHubFile, checkRepository, type HubFile, isCommit } from './hubFile.js';

/** A hub file that is on this machine. */
export interface CachedHubFile {
  readonly path: string;
  readonly commit: string;
}

export function repositoryFolder(cache: string, repository: string): string {
  checkRepository(repository);
  return join(cache, `models--${repository.replace('/', '--')}`);
}

export function blobPath(cache: string, repository: string, hash: string): string {
  return join(repositoryFolder(cache, repository), 'blobs', hash);
}

export function lockPath(cache: string, repository: string, hash: string): string {
  const folder = repositoryFolder(join(cache, '.locks'), repository);
  return join(folder, `${hash}.anyclass.lock`);
}

export function snapshotPath(cache: string, { repository, file }: HubFile, commit: string): string {
  return join(repositoryFolder(cache, repository), 'snapshots', commit, ...file.split('/'));
}

/**
 * A cached file, whichever program downloaded it; undefined if it is missing.
 *
 * @example
 * cachedHubFile(cache, { repository: 'timm/resnet18.a1_in1k', revision: 'main', file: 'model.safetensors' })?.commit
 */
export function cachedHubFile(cache: string, wanted: HubFile): CachedHubFile | undefined {
  checkHubFile(wanted);
  const { repository, revision } = wanted;
  const commit = isCommit(revision) ? revision : commitOf(cache, repository, revision);
  if (commit === undefined) return undefined;
  const path = snapshotPath(cache, wanted, commit);
  return existsSync(path) ? { path, commit } : undefined;
}

/** The name of the blob that a snapshot's link points to; undefined for a regular file. */
export function linkedHash(path: string): string | undefined {
  return lstatSync(path).isSymbolicLink() ? basename(readlinkSync(path)) : undefined;
}

/** Links a blob into the snapshot of a commit, and records the commit of the revision. */
export function linkSnapshot(cache: string, wanted: HubFile, commit: string, hash: string): string {
  const path = snapshotPath(cache, wanted, commit);
  const blob = blobPath(cache, wanted.repository, hash);
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    // A dangling link: its blob was removed.
    if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path);
    link(blob, path);
  }
  keepCommit(cache, wanted, commit);
  return path;
}

/** Records the commit that a branch or tag was last seen at. */
export function keepCommit(cache: string, { repository, revision }: HubFile, commit: string): void {
  if (isCommit(revision) || commitOf(cache, repository, revision) === commit) return;
  const path = referencePath(cache, repository, revision);
  mkdirSync(dirname(path), { recursive: true });
  writeWhole(path, commit);
}

/** Records that a commit has no such file, so that it is not asked for again. */
export function keepAbsence(cache: string, wanted: HubFile, commit: string): void {
  const path = absencePath(cache, wanted, commit);
  mkdirSync(dirname(path), { recursive: true });
  writeWhole(path, '');
  keepCommit(cache, wanted, commit);
}

/** The revision's commit, if it is known to have no such file. */
export function absentAt(cache: string, wanted: HubFile): string | undefined {
  const { repository, revision } = wanted;
  const commit = isCommit(revision) ? revision : commitOf(cache, repository, revision);
  return commit !== undefined && existsSync(absencePath(cache, wanted, commit)) ? commit : undefined;
}

function absencePath(cache: string, { repository, file }: HubFile, commit: string): string {
  return join(repositoryFolder(cache, repository), '.no_exist', commit, ...file.split('/'));
}

function commitOf(cache: string, repository: string, revision: string): string | undefined {
  try {
    const commit = readFileSync(referencePath(cache, repository, revision), 'utf8').trim();
    return isCommit(commit) ? commit : undefined;
  } catch {
    return undefined;
  }
}

export function referencePath(cache: string, repository: string, revision: string): string {
  return join(repositoryFolder(cache, repository), 'refs', ...revision.split('/'));
}

/**
 * Creates a relative link, so that the cache can be moved; a hard link if the system does
 * not allow symbolic ones.
 */
function link(blob: string, path: string): void {
  try {
    symlinkSync(relative(dirname(path), blob), path);
  } catch (error) {
    // Python does not use our lock and may have been faster.
    if (errorCode(error) === 'EEXIST' && existsSync(path)) return;
    if (errorCode(error) !== 'EPERM') throw error;
    linkSync(blob, path);
  }
}
