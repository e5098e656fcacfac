// Files that are complete or absent, whatever happens while they are written.

import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { partialPath } from './leftovers.js';
import { errorCode, FileError, withPath } from './problem.js';

/** A file that is being written. */
export interface FileDraft {
  /** Path of the content until the draft is finished. */
  readonly path: string;
  write(content: string | Uint8Array): void;
  /** Flushes the content to disk and moves it into place. */
  finish(): void;
  /** Closes the draft, names it after the file, with the process ID and `.part`, and returns that path. */
  leave(): string;
  /** Removes the draft; the old file, if any, stays as it was. */
  discard(): void;
}

export interface DraftOptions {
  /** How the draft's name ends, for programs that go by that. */
  readonly ending?: string;
}

/**
 * Starts a file next to its final path. Finishing flushes it to disk and renames it over the old file. A link is
 * followed, and its target is replaced. A device or a pipe is written to directly.
 *
 * @example
 * const draft = draftFile('rows.csv');
 * for (const line of lines) draft.write(line);
 * draft.finish();
 */
export function draftFile(path: string, { ending }: DraftOptions = {}): FileDraft {
  if (isSpecialFile(path)) return draftInPlace(path);
  const target = linkTarget(path);
  const draft = partialPath(target, ending);
  const file = openDraft(draft, 'w');
  return {
    path: draft,
    write: file.write,
    finish() {
      file.sync();
      file.close();
      renameSync(draft, target);
      syncFolder(dirname(target));
    },
    leave() {
      file.close();
      const kept = `${target}.${process.pid}.part`;
      renameSync(draft, kept);
      return kept;
    },
    discard() {
      file.close();
      rmSync(draft, { force: true });
    },
  };
}

/**
 * Writes a file that is complete or absent. On any failure the new file is removed and the old one stays as it was.
 *
 * @throws FileError with the path, the cause and what to do
 *
 * @example
 * writeFileAtomically('state.bin', (write) => write(new Uint8Array([1, 2, 3])))
 */
export function writeFileAtomically(path: string, contents: (write: FileDraft['write']) => void): void {
  const draft = withPath(path, () => draftFile(path));
  try {
    contents((content) => withPath(path, () => draft.write(content)));
    withPath(path, () => draft.finish());
  } catch (error) {
    discardQuietly(draft);
    throw error;
  }
}

/** Removes a draft after another failure, which is the one to report; a read-only disk refuses the removal too. */
export function discardQuietly(draft: FileDraft): void {
  try {
    draft.discard();
  } catch {
    // See above.
  }
}

/**
 * Whether the path holds something that a file must not replace. `/dev/stdout` may point to a file that others write to
 * as well; `/dev/shm` is an ordinary folder in memory.
 *
 * @example
 * isSpecialFile('/dev/null') // true
 */
export function isSpecialFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (!found.isFile() || /^\/(dev(?!\/shm\/)|proc)\//.test(resolve(path)));
}

function draftInPlace(path: string): FileDraft {
  const probe = probedPipe(path);
  const { write, close } = openDraft(path, 'a');
  if (probe !== undefined) closeSync(probe);
  const leave = () => {
    close();
    return path;
  };
  return { path, write, finish: close, leave, discard: close };
}

/** Seconds in which a program must start to read from a pipe that is to be written. */
const readerSeconds = 5;

/**
 * Waits until a program reads from a named pipe, and returns a descriptor that keeps the reader waiting until the
 * pipe is opened. Just opening it would wait for ever, and nothing could interrupt that.
 */
function probedPipe(path: string): number | undefined {
  if (process.platform === 'win32' || !statSync(path).isFIFO()) return undefined;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let left = readerSeconds * 10; ; left--) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (errorCode(error) !== 'ENXIO') throw error;
      if (left <= 0) throw new FileError(path, 'no program reads from this pipe; start the reader first');
      Atomics.wait(pause, 0, 0, 100);
    }
  }
}

function openDraft(path: string, mode: 'a' | 'w') {
  const descriptor = openSync(path, mode);
  let isOpen = true;
  return {
    write(content: string | Uint8Array): void {
      writeFully(descriptor, typeof content === 'string' ? Buffer.from(content) : content);
    },
    sync: () => fsyncSync(descriptor),
    close(): void {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

// One system call writes at most 2 GiB, and may write less than it was given, for example if the disk is nearly full.
const longestWrite = 2 ** 30;

function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, Math.min(bytes.length - done, longestWrite));
  }
}

/** Returns what a link points to, whether or not that exists; returns any other path unchanged. */
function linkTarget(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return linkTarget(resolve(dirname(path), readlinkSync(path)));
  }
}

/**
 * Flushes a folder's entries to disk; without this, a power cut can undo a rename.
 *
 * @example
 * renameSync('weights/draft', 'weights/model.safetensors');
 * syncFolder('weights');
 */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder as a file, and its file systems journal renames.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
