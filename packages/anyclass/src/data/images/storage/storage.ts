// An image may be unavailable for three reasons: its file is damaged (the decoder reports that), its file is
// missing, or its storage is gone, such as a network share that hangs, a disk that was removed, or a folder
// that is being replaced. Only the last is waited for, and it is never mistaken for the others.

import { opendir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, fileProblem } from '@anyclass/files';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';

/** An image whose file is missing or not readable, although its storage is available. */
export class MissingImageError extends DataError {
  override readonly name: string = 'MissingImageError';
}

/** The machine is at fault, not the image, which is therefore never counted as damaged or missing. */
export class MachineError extends DataError {
  override readonly name: string = 'MachineError';
}

/** Storage that did not come back. */
export class StorageError extends MachineError {
  override readonly name: string = 'StorageError';
}

/**
 * Codes that disks and network file systems report when the fault is theirs, not the file's,
 * and temporary shortages.
 */
const storageCodes = new Set([
  ...['EIO', 'EREMOTEIO', 'ENXIO', 'ENODEV', 'ENOMEDIUM', 'ESHUTDOWN', 'ESTALE', 'EUCLEAN'],
  ...[
    'ETIMEDOUT',
    'ETIME',
    'ENOTCONN',
    'ECONNRESET',
    'ECONNREFUSED',
    'ECONNABORTED',
    'ENETDOWN',
    'ENETUNREACH',
  ],
  ...['EHOSTDOWN', 'EHOSTUNREACH', 'EAGAIN', 'EBUSY', 'EINTR', 'EMFILE', 'ENFILE', 'ENOMEM'],
]);

/**
 * The deadline for each folder that is gone. All readers of a folder share it, rather than
 * waiting one after another.
 */
const deadlines = new Map<string, number>();

/** Folders below which something was read: only these can be gone, since others may never have existed. */
const seen = new Set<string>();

/** Waits between attempts, in milliseconds: 100, 200, 400… up to 5 s. */
const [firstWait, longestWait] = [100, 5000];

/** How long to wait for storage: ANYCLASS_STORAGE_SECONDS, or 30 s. */
function patience(): number {
  const text = process.env['ANYCLASS_STORAGE_SECONDS'];
  const seconds = text === undefined ? Number.NaN : Number(text);
  return 1000 * (seconds >= 0 ? seconds : 30);
}

/**
 * Remembers the folders above a file that was read: see `fromStorage`.
 *
 * @example
 * wasRead('photos/2024/a.jpg');
 */
export function wasRead(path: string): void {
  for (let folder = dirname(path); !seen.has(folder); folder = dirname(folder)) seen.add(folder);
}

/**
 * Reads from a file below a folder that existed before. If that folder is gone, or one in between from which
 * something was read, it retries until the folder is back.
 *
 * @throws MissingImageError if the file is missing or not readable
 * @throws StorageError if the storage did not come back in time
 *
 * @example
 * const bytes = await fromStorage('photos/a.jpg', 'photos', () => readFile('photos/a.jpg'));
 */
export async function fromStorage<Content>(
  path: string,
  folder: string,
  read: () => Promise<Content>,
  { wait = true }: { readonly wait?: boolean } = {},
): Promise<Content> {
  let wasThere = false;
  for (let pause = firstWait; ; pause = Math.min(2 * pause, longestWait)) {
    try {
      const content = await read();
      wasRead(path);
      for (const above of foldersBetween(path, folder)) deadlines.delete(above);
      return content;
    } catch (error) {
      // An error in the content, not in reading the file.
      if (errorCode(error) === undefined || error instanceof DataError) throw error;
      const away = await goneFolder(error, path, folder);
      const isThere = away === undefined;
      // The folder may have come back since: a file is missing only if it fails while the folder is there.
      if (isThere && wasThere) throw missing(error, path);
      wasThere = isThere;
      if (isThere) continue;
      const end = deadlines.get(away) ?? performance.now() + patience();
      if (!wait || performance.now() + pause > end) throw gone(error, path, away);
      deadlines.set(away, end);
    }
    await sleep(pause);
  }
}

/** A folder and the subfolders on the way to a file. */
function foldersBetween(path: string, folder: string): string[] {
  const between: string[] = [];
  for (let at = dirname(path); at.length > folder.length && at !== dirname(at); at = dirname(at))
    between.unshift(at);
  return [folder, ...between];
}

/**
 * The folder whose storage failed: judged by the error code, or because it is gone or
 * empty, like an unmounted one.
 */
async function goneFolder(error: unknown, path: string, folder: string): Promise<string | undefined> {
  const code = errorCode(error);
  if (code === undefined) return undefined;
  if (storageCodes.has(code)) return folder;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return undefined;
  for (const above of foldersBetween(path, folder))
    if ((above === folder || seen.has(above)) && (await isGone(above))) return above;
  return undefined;
}

async function isGone(folder: string): Promise<boolean> {
  try {
    if (!(await stat(folder)).isDirectory()) return false;
    await using entries = await openedFolder(folder);
    return (await entries.first()) === undefined;
  } catch {
    return true;
  }
}

async function openedFolder(folder: string) {
  const entries = await opendir(folder);
  return {
    first: async () => (await entries.read()) ?? undefined,
    [Symbol.asyncDispose]: () => entries.close(),
  };
}

function missing(error: unknown, path: string): MissingImageError {
  const code = errorCode(error);
  const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
  // Node puts this character in place of what is not UTF-8, and then finds no file of that name.
  if (isAbsent && path.includes('\ufffd'))
    return new MissingImageError(`the name ${shownPath(path)} is not valid UTF-8; rename the file`);
  return new MissingImageError(
    isAbsent ? `missing: ${shownPath(path)}` : `cannot read ${shownPath(path)}: ${fileProblem(error)}`,
  );
}

function gone(error: unknown, path: string, folder: string): StorageError {
  const code = errorCode(error);
  const what =
    code === 'ENOENT' || code === 'ENOTDIR'
      ? `the folder ${shownPath(folder)} is gone`
      : `${fileProblem(error)} (${code})`;
  return new StorageError(
    `${shownPath(path)} cannot be read: ${what}; check the disk or the network share, then start again`,
    { cause: error },
  );
}
