// What a user names on the command line, as a stream of images: files, folders, globs, Parquet, a list.

import { existsSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parquetSchema } from 'hyparquet';
import { DataError } from '../data/dataError.js';
import type { StoredImage } from '../data/images/imageSource.js';
import { openParquet } from '../data/readers/parquetFile.js';

export interface ImageInput {
  readonly name: string;
  /** Rejects with the reason where the image is missing or cannot be read. */
  read(): Promise<StoredImage>;
}

/**
 * The images behind paths, one after another: a file, a folder with all below it, a pattern with `*`, `?` or `**`, a
 * Parquet file with images inside, or `-` for a list of paths on standard input, one a line.
 *
 * @example
 * for await (const { name } of imageInputs(['photos', 'more/*.jpg'])) console.log(name);
 */
export async function* imageInputs(
  paths: Iterable<string> | AsyncIterable<string>,
  list: NodeJS.ReadableStream = process.stdin,
): AsyncGenerator<ImageInput> {
  for await (const path of paths) {
    if (path === '-') yield* imageInputs(listedPaths(list));
    else if (!existsSync(path) && /[*?]/.test(path)) yield* matchingFiles(path);
    else if (existsSync(path) && statSync(path).isDirectory()) yield* filesBelow(path, isImage);
    else if (path.endsWith('.parquet')) yield* parquetRows(path);
    else yield fileInput(path);
  }
}

function fileInput(path: string): ImageInput {
  return {
    name: path,
    async read() {
      try {
        return { kind: 'encoded', bytes: await readFile(path) };
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        throw new DataError(code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${code}`);
      }
    },
  };
}

async function* listedPaths(list: NodeJS.ReadableStream): AsyncGenerator<string> {
  for await (const line of createInterface({ input: list, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') yield line.trim();
  }
}

const imageExtensions = new Set(['.jpg', '.jpeg', '.png', '.webp', '.tif', '.tiff', '.gif', '.avif']);

function isImage(path: string): boolean {
  return imageExtensions.has(extname(path).toLowerCase());
}

/** Files in the order of their names, folder by folder. */
async function* filesBelow(folder: string, wanted: (path: string) => boolean): AsyncGenerator<ImageInput> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, wanted);
    else if (wanted(path)) yield fileInput(path);
  }
}

async function* matchingFiles(pattern: string): AsyncGenerator<ImageInput> {
  const parts = pattern.split('/');
  const fixed = parts.slice(
    0,
    parts.findIndex((part) => /[*?]/.test(part)),
  );
  const root = fixed.join('/') || (pattern.startsWith('/') ? '/' : '.');
  const expression = globExpression(join(pattern));
  let found = false;
  if (existsSync(root)) {
    for await (const input of filesBelow(root, (path) => expression.test(path))) {
      found = true;
      yield input;
    }
  }
  if (!found) throw new DataError(`${pattern}: no file matches`);
}

/**
 * A shell's pattern as an expression: `*` and `?` stay within a folder, `**` goes below it.
 *
 * @example
 * globExpression('a/*.png').test('a/b.png') // true
 */
export function globExpression(pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    return token === '?' ? '[^/]' : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}

async function* parquetRows(path: string): AsyncGenerator<ImageInput> {
  const file = await openParquet(path);
  try {
    const columns = parquetSchema(file.metadata).children.map(({ element }) => element.name);
    for (let group = 0; group + 1 < file.groupStarts.length; group++) {
      const start = file.groupStarts[group]!;
      const rows = await file.readRows(columns, start, file.groupStarts[group + 1]!);
      for (const [i, row] of rows.entries()) {
        const naming = columns.find((column) => /^(file_?name|path|image_?id|id)$/i.test(column));
        const named = naming === undefined ? undefined : row[naming];
        yield {
          name: named === undefined || named === null ? `${basename(path)}#${start + i}` : String(named),
          async read() {
            const bytes = imageBytes(row, columns);
            if (!bytes) throw new DataError('no image bytes in this row');
            return { kind: 'encoded', bytes };
          },
        };
      }
    }
  } finally {
    await file.close();
  }
}

/** Bytes, or Hugging Face's struct of `bytes` and `path`; a column called image before others. */
function imageBytes(row: Record<string, unknown>, columns: readonly string[]): Uint8Array | undefined {
  for (const column of ['image', ...columns]) {
    const value = row[column];
    if (value instanceof Uint8Array) return value;
    if (
      typeof value === 'object' &&
      value !== null &&
      'bytes' in value &&
      value.bytes instanceof Uint8Array
    ) {
      return value.bytes;
    }
  }
  return undefined;
}
