// Unpacks archives whose entries may be larger than memory.

import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { quoted, WeightFileError } from './errors.js';
import { withFile } from './randomAccessFile.js';
import { listZipEntries, type ZipEntry } from './zip.js';

/**
 * Extracts a zip archive into a folder, checking each entry against its checksum.
 *
 * @example
 * await unpackZip('libtorch.zip', 'unpacked'); // unpacked/libtorch/lib/libtorch_cpu.so, …
 */
export async function unpackZip(archive: string, folder: string): Promise<void> {
  const entries = withFile(archive, WeightFileError, listZipEntries);
  for (const entry of entries.values()) {
    const path = join(folder, entry.name);
    if (entry.name.endsWith('/')) mkdirSync(path, { recursive: true });
    else await unpackEntry(archive, entry, path);
  }
}

async function unpackEntry(archive: string, entry: ZipEntry, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const target = createWriteStream(path);
  let checksum = 0;
  const check = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  };
  const start = entry.dataStart;
  // A stream's `end` is inclusive, so an empty entry has nothing to read.
  if (entry.storedSize === 0) await pipeline([], target);
  else {
    const stored = createReadStream(archive, { start, end: start + entry.storedSize - 1 });
    await (entry.deflated
      ? pipeline(stored, createInflateRaw(), check, target)
      : pipeline(stored, check, target));
  }
  if (checksum !== entry.checksum) {
    throw new WeightFileError(archive, `entry ${quoted(entry.name)} does not match its checksum`);
  }
}
