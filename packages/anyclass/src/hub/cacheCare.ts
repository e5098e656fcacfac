// Verifies and removes files in the caches.

import { existsSync, readdirSync, readlinkSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withSharedLock } from '@anyclass/files';
import {
  type Checksum,
  checksumOfTag,
  fileHash,
  partialEnding,
  removePartial,
} from '@anyclass/files/downloads';
import { UserError } from '../errors/userError.js';
import { type AddressedFile, addressPath, cachedAddressFile, recordPath } from './addressFile.js';
import {
  blobPath,
  cachedHubFile,
  linkedHash,
  lockPath,
  referencePath,
  repositoryFolder,
} from './hubCache.js';
import { type HubFile, isCommit } from './hubFile.js';
import type { HubSettings } from './settings.js';

export interface Verification {
  readonly path: string;
  readonly algorithm: Checksum['algorithm'];
  readonly expected: string;
  readonly found: string;
  readonly ok: boolean;
}

/** Hashes a cached hub file again; undefined if it is not in the cache. */
export async function verifyHubFile(
  { cache }: HubSettings,
  wanted: HubFile,
): Promise<Verification | undefined> {
  const cached = cachedHubFile(cache, wanted);
  if (!cached) return undefined;
  const { path } = cached;
  const tag = linkedHash(path);
  const checksum = tag === undefined ? undefined : checksumOfTag(tag);
  if (tag !== undefined && !checksum)
    throw new UserError(`${path} links to ${tag}, whose name is not a hash`);
  const { algorithm } = checksum ?? { algorithm: 'sha256' as const };
  const found = await fileHash(path, { algorithm });
  // On systems without links, the snapshot has the file itself, which is intact if a blob has its hash as name.
  const isBlob = checksum ? found === checksum.value : existsSync(blobPath(cache, wanted.repository, found));
  return { path, algorithm, expected: checksum?.value ?? 'the name of a blob', found, ok: isBlob };
}

/** Hashes a cached file from another server again; undefined if it is not in the cache. */
export async function verifyAddressFile(
  settings: HubSettings,
  wanted: AddressedFile,
): Promise<Verification | undefined> {
  const cached = cachedAddressFile(settings, wanted);
  if (!cached) return undefined;
  const { path, record } = cached;
  const found = await fileHash(path, { algorithm: 'sha256' });
  return { path, algorithm: 'sha256', expected: record.sha256, found, ok: found === record.sha256 };
}

/**
 * Removes a hub file from the cache: its link, its bytes if no other link needs them, and what unfinished
 * downloads from the repository left behind. Other files of the repository stay.
 *
 * @returns the number of bytes freed; undefined if there was nothing to remove
 */
export async function removeHubFile({ cache }: HubSettings, wanted: HubFile): Promise<number | undefined> {
  const { repository, revision } = wanted;
  const leftovers = await removePartials(cache, repository);
  const cached = cachedHubFile(cache, wanted);
  if (!cached) return leftovers;
  const { path, commit } = cached;
  const hash = linkedHash(path);
  const remove = () => {
    const bytes = statSync(path).size;
    rmSync(path, { force: true });
    const snapshots = join(repositoryFolder(cache, repository), 'snapshots');
    removeEmpty(dirname(path), snapshots);
    if (!existsSync(join(snapshots, commit)) && !isCommit(revision)) {
      rmSync(referencePath(cache, repository, revision), { force: true });
    }
    if (hash !== undefined && linkedHashes(snapshots).has(hash)) return 0;
    if (hash !== undefined) rmSync(blobPath(cache, repository, hash), { force: true });
    return bytes;
  };
  const bytes =
    hash === undefined ? remove() : await withSharedLock(lockPath(cache, repository, hash), remove);
  return bytes + (leftovers ?? 0);
}

/**
 * Removes a file from another server. Returns the number of bytes freed, or undefined if
 * there was nothing to remove.
 */
export async function removeAddressFile(
  settings: HubSettings,
  wanted: AddressedFile,
): Promise<number | undefined> {
  const path = addressPath(settings, wanted);
  if (!existsSync(dirname(path))) return undefined;
  const bytes = await withSharedLock(`${path}.lock`, () => {
    const size = sizeOf(path) + sizeOf(`${path}${partialEnding}`);
    rmSync(path, { force: true });
    rmSync(recordPath(path), { force: true });
    removePartial(path);
    return size;
  });
  removeEmpty(dirname(path), settings.addressCache);
  return bytes;
}

async function removePartials(cache: string, repository: string): Promise<number | undefined> {
  const blobs = join(repositoryFolder(cache, repository), 'blobs');
  const partials = existsSync(blobs) ? readdirSync(blobs).filter((name) => name.endsWith(partialEnding)) : [];
  let bytes: number | undefined;
  for (const name of partials) {
    const hash = name.slice(0, -partialEnding.length);
    bytes = (bytes ?? 0) + sizeOf(join(blobs, name));
    await withSharedLock(lockPath(cache, repository, hash), () => removePartial(join(blobs, hash)));
  }
  return bytes;
}

function linkedHashes(snapshots: string): Set<string> {
  const entries = existsSync(snapshots)
    ? readdirSync(snapshots, { recursive: true, withFileTypes: true })
    : [];
  const links = entries.filter((entry) => entry.isSymbolicLink());
  return new Set(links.map(({ parentPath, name }) => basename(readlinkSync(join(parentPath, name)))));
}

/** Removes a folder and the folders above it while they are empty, up to but excluding `last`. */
function removeEmpty(folder: string, last: string): void {
  if (folder === last) return;
  try {
    rmdirSync(folder);
  } catch {
    return; // holds other files
  }
  removeEmpty(dirname(folder), last);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
