import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { fileProblem } from '@anyclass/files';
import { DataError } from '../../errors/dataError.js';
import { shownPath } from '../../files/shownPath.js';

/**
 * Reads a small text file: UTF-8, no zero bytes, at most `most` bytes.
 *
 * @example
 * await readText('data.yaml', 1 << 20)
 */
export async function readText(path: string, most: number): Promise<string> {
  const file = shownPath(path);
  const bytes = await bytesOf(path, most).catch((error: unknown) => {
    if (error instanceof DataError) throw error;
    throw new DataError(`${file}: cannot be read: ${fileProblem(error)}`);
  });
  if (bytes.includes(0)) throw new DataError(`${file}: contains zero bytes; this is not a text file`);
  if (!isUtf8(bytes)) throw new DataError(`${file}: is not UTF-8 (Latin-1, perhaps?); save it as UTF-8`);
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

async function bytesOf(path: string, most: number): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > most) {
    throw new DataError(
      `${shownPath(path)}: has ${size} bytes; expected at most ${most} in a file of this kind`,
    );
  }
  return readFile(path);
}
