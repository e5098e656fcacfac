// Reads pieces of a file that may be truncated or larger than memory.

import { constants } from 'node:buffer';
import { closeSync, constants as flags, fstatSync, openSync, readSync } from 'node:fs';
import type { WeightFileError } from './errors.js';

/** An open file. `error` makes an error of the reader's class, prefixed with the file name. */
export interface RandomAccessFile {
  readonly path: string;
  readonly size: number;
  /** Reads exactly these bytes to the start of the given buffer, or of a new one, so that typed arrays over it are aligned. */
  read(position: number, length: number, buffer?: ArrayBuffer): Uint8Array<ArrayBuffer>;
  error(problem: string, options?: ErrorOptions): WeightFileError;
}

// One system call reads at most 2 GiB.
const longestRead = 2 ** 30;

/**
 * Opens a file for the duration of `use`. System errors (no such file, no permission) are thrown as they are.
 *
 * @example
 * withFile('model.safetensors', SafetensorsError, (file) => file.read(0, 8)) // the first 8 bytes
 */
export function withFile<Result>(
  path: string,
  FileError: new (file: string, problem: string, options?: ErrorOptions) => WeightFileError,
  use: (file: RandomAccessFile) => Result,
): Result {
  // Opening a pipe would wait until another program writes to it.
  const descriptor = openSync(path, flags.O_RDONLY | (flags.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new FileError(path, 'is not a regular file');
    const error = (problem: string, options?: ErrorOptions) => new FileError(path, problem, options);
    const { size } = status;
    return use({
      path,
      size,
      error,
      read(position, length, buffer) {
        if (position + length > size) {
          throw error(`ends at byte ${size}, but bytes ${position} to ${position + length} are needed`);
        }
        if (length > constants.MAX_LENGTH) {
          throw error(
            `holds a piece of ${length} bytes; this version of Node reads at most ${constants.MAX_LENGTH}`,
          );
        }
        const bytes = new Uint8Array(buffer ?? new ArrayBuffer(length), 0, length);
        for (let done = 0; done < length; ) {
          const count = readSync(
            descriptor,
            bytes,
            done,
            Math.min(length - done, longestRead),
            position + done,
          );
          if (count === 0) throw error(`became shorter while it was read, at byte ${position + done}`);
          done += count;
        }
        return bytes;
      },
    });
  } finally {
    closeSync(descriptor);
  }
}
