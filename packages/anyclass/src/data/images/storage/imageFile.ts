// Reads image files, and nothing else that a name may lead to: a named pipe would wait for ever for someone to write to
// it, and a device may never end.

import {
  close as closeFile,
  constants,
  fstat,
  open as openFile,
  readFile as readWhole,
  type Stats,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '@anyclass/files';
import { DataError } from '../../../errors/dataError.js';
import { unusualKind } from '../../../files/fileKind.js';

// Cheaper than those in node:fs/promises, which create an object for every open file.
const [open, facts, read, close] = [
  promisify(openFile),
  promisify(fstat) as (descriptor: number) => Promise<Stats>,
  promisify(readWhole) as (descriptor: number) => Promise<Buffer>,
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
  const file = await open(path, flags).catch(async (error: unknown) => {
    // That is how opening a socket fails.
    if (errorCode(error) === 'ENXIO') refuseUnusual(await stat(path));
    throw error;
  });
  try {
    refuseUnusual(await facts(file));
    return await read(file);
  } finally {
    await close(file);
  }
}

function refuseUnusual(found: Stats): void {
  const kind = unusualKind(found);
  if (kind !== undefined) throw new DataError(`is ${kind}, not an image file`);
}
