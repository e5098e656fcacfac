// Downloads one file: resumes where it stopped, hashes the bytes as they arrive, and leaves a complete file or none.
//
// The bytes collect in a partial file, next to a note with their version (ETag). Whoever holds the lock resumes from
// there, after a broken connection or after a kill. Each byte is written at its own position, so that even two writers
// of the same version could not harm each other.

import type { Hash } from 'node:crypto';
import { constants, readFileSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeFileAtomically } from '../files/draft.js';
import { fileProblem } from '../files/problem.js';
import { type Body, openBody } from './body.js';
import { type Checksum, startHash } from './checksum.js';
import { DownloadError, TemporaryProblem } from './problems.js';
import { type Patience, retrying } from './retrying.js';

export interface Transfer {
  readonly address: string;
  readonly token?: string | undefined;
  /** Path of the finished file. */
  readonly target: string;
  readonly checksum: Checksum;
  /** Undefined if only the server knows it. */
  readonly size: number | undefined;
  /** The name used in messages. */
  readonly title: string;
  readonly patience: Patience;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly onNote?: ((text: string) => void) | undefined;
}

/**
 * Downloads a file to its target; call it with a lock held. If it fails, what arrived is kept for the next call.
 *
 * @returns its hash and its size
 * @throws DownloadError if the server cannot be reached, has something else, or sends the wrong bytes
 */
export async function transfer(job: Transfer): Promise<{ readonly hash: string; readonly size: number }> {
  const partial = partialPath(job.target);
  for (let isSecond = false; ; isSecond = true) {
    const { hash, size, resumedAt } = await retrying(() => attempt(job, partial), {
      ...job,
      progress: () => statSync(partial, { throwIfNoEntry: false })?.size ?? 0,
    });
    if (hash.startsWith(job.checksum.value)) {
      renameSync(partial, job.target);
      syncFolder(dirname(job.target));
      rmSync(notePath(partial), { force: true });
      return { hash, size };
    }
    removePartial(job.target);
    if (resumedAt === 0 || isSecond) {
      throw new DownloadError(
        `${job.title}: the server sent bytes that differ from the published file: their ${job.checksum.algorithm} hash is ${hash}, ` +
          `expected ${job.checksum.value}; nothing was kept`,
      );
    }
    job.onNote?.(`${job.title}: the resumed parts do not match; starting over`);
  }
}

/** Removes what an unfinished download left. */
export function removePartial(target: string): void {
  rmSync(partialPath(target), { force: true });
  rmSync(notePath(partialPath(target)), { force: true });
}

/** Suffix of an incomplete file; differs from the one that Python's hub client uses. */
export const partialEnding = '.anyclass.incomplete';

function partialPath(target: string): string {
  return target + partialEnding;
}

function notePath(partial: string): string {
  return `${partial}.json`;
}

interface Arrived {
  readonly hash: string;
  readonly size: number;
  /** How many bytes an earlier attempt had already downloaded. */
  readonly resumedAt: number;
}

/** Makes one connection, which continues from the bytes already there. */
async function attempt(job: Transfer, partial: string): Promise<Arrived> {
  const file = await open(partial, constants.O_RDWR | constants.O_CREAT).catch((error: unknown) => {
    throw new DownloadError(`${partial} cannot be written: ${fileProblem(error)}`);
  });
  try {
    const version = versionOf(partial);
    const start = resumePoint(job, (await file.stat()).size, version);
    const before = start === 0 ? undefined : await hashOfStart(file, job, start);
    if (before && start === job.size) return { hash: before.digest('hex'), size: start, resumedAt: start };
    const body = await openBody(job, { start, version });
    const size = job.size ?? body.size;
    if (size === undefined)
      throw new DownloadError(`${job.title}: the server does not report the file's size`);
    checkSpace(job, size - body.start);
    if (body.start === 0) await beginAnew(file, partial, body);
    const hash = (body.start === 0 ? undefined : before) ?? startHash(job.checksum, size);
    await receive(file, job, { body, hash, size });
    return { hash: hash.digest('hex'), size, resumedAt: body.start };
  } finally {
    await file.close();
  }
}

/** Bytes of unknown version are not resumed. A small file, which is hashed git's way, starts over each time. */
function resumePoint(
  { checksum, size }: Transfer,
  there: number,
  version: string | null | undefined,
): number {
  if (version === undefined || checksum.algorithm === 'git') return 0;
  return there > (size ?? there) ? 0 : there;
}

/** Removes bytes of another version first, then replaces their note; after a kill in between, the download starts over. */
async function beginAnew(file: FileHandle, partial: string, { version }: Body): Promise<void> {
  await file.truncate(0);
  writeFileAtomically(notePath(partial), (write) => write(JSON.stringify({ version: version ?? null })));
}

interface Reception {
  readonly body: Body;
  readonly hash: Hash;
  readonly size: number;
}

async function receive(file: FileHandle, job: Transfer, { body, hash, size }: Reception): Promise<void> {
  let position = body.start;
  job.onProgress?.(position, size);
  for await (const part of body.parts()) {
    if (position + part.length > size) {
      throw new DownloadError(`${job.title}: the server sent more than the file's ${size} bytes`);
    }
    hash.update(part);
    await write(file, part, position, job);
    position += part.length;
    job.onProgress?.(position, size);
  }
  if (position < size) throw new TemporaryProblem(`the connection closed after ${position} of ${size} bytes`);
  await file.sync();
}

async function hashOfStart(file: FileHandle, { checksum, signal }: Transfer, end: number): Promise<Hash> {
  const hash = startHash(checksum, end);
  const buffer = Buffer.alloc(Math.min(end, 2 ** 20));
  for (let position = 0; position < end; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - position), position);
    if (bytesRead === 0) throw new TemporaryProblem('the partial file became shorter while it was read');
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return hash;
}

async function write(file: FileHandle, part: Uint8Array, position: number, job: Transfer): Promise<void> {
  try {
    for (let done = 0; done < part.length; ) {
      done += (await file.write(part, done, part.length - done, position + done)).bytesWritten;
    }
  } catch (error) {
    throw new DownloadError(
      `${job.target} cannot be written: ${fileProblem(error)}; what arrived is kept, and the next try resumes from it`,
    );
  }
}

function checkSpace({ title, target }: Transfer, needed: number): void {
  const { bavail, bsize } = statfsSync(dirname(target));
  const free = bavail * bsize;
  if (free >= needed) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  throw new DownloadError(
    `${title}: needs ${megabytes(needed)}, but ${dirname(target)} has only ${megabytes(free)} free; make room there`,
  );
}

/** Returns the version of the bytes already there: null if the server gave none, undefined if it is unknown. */
function versionOf(partial: string): string | null | undefined {
  try {
    const note: { readonly version?: unknown } | null = JSON.parse(readFileSync(notePath(partial), 'utf8'));
    const version = note?.version;
    return typeof version === 'string' || version === null ? version : undefined;
  } catch {
    return undefined; // no note, or a kill truncated it
  }
}
