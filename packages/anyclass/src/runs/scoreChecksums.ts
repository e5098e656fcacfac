// Checksums of the tables in a score folder: a changed digit would change the metrics in every report.

import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { UserError } from '../errors/userError.js';
import { parsedJson, writeWhole } from '../files/wholeFile.js';

const checksumFile = 'checksums.json';
const checksums = z.record(z.string(), z.string());

/**
 * Writes the checksums of the tables in a folder, by their file names.
 *
 * @example
 * writeScoreChecksums('runs/sewer/scores', { 'test.csv': writeTable('runs/sewer/scores/test.csv', table) });
 */
export function writeScoreChecksums(folder: string, sums: Readonly<Record<string, string>>): void {
  writeWhole(join(folder, checksumFile), `${JSON.stringify(sums, null, 2)}\n`);
}

/**
 * Throws if a table differs from what was written. A table without a checksum is accepted as it is.
 *
 * @param folder where the checksums are; by default beside the table
 *
 * @example
 * verifyScoreFile('runs/sewer/scores/test.csv');
 */
export function verifyScoreFile(path: string, folder = dirname(path)): void {
  const file = join(folder, checksumFile);
  if (!existsSync(file)) return;
  const known = checksums.safeParse(parsedJson(readFileSync(file, 'utf8')));
  if (!known.success)
    throw new UserError(`${file}: is damaged; resume the run to rewrite its scores`, {
      code: 'scores-damaged',
    });
  const expected = known.data[basename(path)];
  if (expected === undefined || expected === checksumText(fileChecksum(path))) return;
  throw new UserError(
    `${path}: differs from what the run wrote; resume the run to rewrite it, or delete ${file} if you changed the table yourself`,
    { code: 'scores-damaged' },
  );
}

/** A checksum as it is written to the file. */
export function checksumText(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}

function fileChecksum(path: string): number {
  const buffer = Buffer.alloc(2 ** 20);
  const descriptor = openSync(path, 'r');
  try {
    let checksum = 0;
    for (;;) {
      const count = readSync(descriptor, buffer);
      if (count === 0) return checksum;
      checksum = crc32(buffer.subarray(0, count), checksum);
    }
  } finally {
    closeSync(descriptor);
  }
}
