// Reads image files, and nothing else that a name may lead to: a named pipe would wait for ever for someone to write to
// it, and a device may never end.

import {
  close as closeFile,
  constants,
  fstat,
  open as openFile,
  read as readAt,
  readFile as readWhole,
  type Stats,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '@anyclass/files';
import { DataError } from '../../../errors/dataError.js';
import { unusualKind } from '../../../files/fileKind.js';

// Cheaper than those in node:fs/promises, which create an object for every open file.
const [open, facts, read, readPart, close] = [
  promisify(openFile),
  promisify(fstat) as (descriptor: number) => Promise<Stats>,
  promisify(readWhole) as (descriptor: number) => Promise<Buffer>,
  promisify(readAt),
  promisify(closeFile),
];

// Otherwise opening a pipe waits for a writer. Not on Windows, which has no such flag.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a file.
 *
 * @throws DataError if it is a pipe, a socket or a device
 */
export async function readImageFile(path: string): Promise<Buffer> {
  return withImageFile(path, (file) => read(file));
}

/** The size of a file, and its bytes at the start and in the middle. */
export async function readImageParts(
  path: string,
  length: number,
): Promise<{ readonly size: number; readonly parts: readonly Buffer[] }> {
  return withImageFile(path, async (file, { size }) => {
    const part = async (start: number) => {
      const { bytesRead, buffer } = await readPart(file, Buffer.alloc(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    };
    return { size, parts: [await part(0), await part(Math.floor(size / 2))] };
  });
}

async function withImageFile<T>(path: string, use: (file: number, found: Stats) => Promise<T>): Promise<T> {
  const file = await open(path, flags).catch(async (error: unknown) => {
    // That is how opening a socket fails.
    if (errorCode(error) === 'ENXIO') refuseUnusual(await stat(path));
    throw error;
  });
  try {
    const found = await facts(file);
    refuseUnusual(found);
    return await use(file, found);
  } finally {
    await close(file);
  }
}

function refuseUnusual(found: Stats): void {
  const kind = unusualKind(found);
  if (kind !== undefined) throw new DataError(`is ${kind}, not an image file`);
}
