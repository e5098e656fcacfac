// A file that is whole or absent, whatever happens while it is written.

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a file beside its target, brings it to the disk and renames it over the target. On any failure the new file is
 * removed and the old one stays as it was.
 *
 * @example
 * writeFileAtomically('state.bin', (write) => write(new Uint8Array([1, 2, 3])))
 */
export function writeFileAtomically(
  path: string,
  contents: (write: (bytes: Uint8Array) => void) => void,
): void {
  const folder = dirname(path);
  const partial = join(folder, `.partial-${process.pid}-${randomBytes(8).toString('hex')}`);
  const descriptor = openSync(partial, 'wx');
  try {
    try {
      contents((bytes) => writeFully(descriptor, bytes));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  syncFolder(folder);
}

// One call to the system writes at most 2 GiB, and may write less than it was given.
const longestWrite = 2 ** 30;

function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, Math.min(bytes.length - done, longestWrite));
  }
}

/** The rename itself is lost in a power cut unless the folder is brought to the disk too. */
function syncFolder(folder: string): void {
  // Windows cannot open a folder as a file, and its file systems journal renames.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
