// Hashes of a dataset's images, kept on disk: reading a hundred thousand images takes minutes, and every command that
// opens the data needs them.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeSharedLock, writeFileAtomically } from '@anyclass/files';
import { ownThreads } from '../../distribution/ranks.js';
import type { Dataset } from '../dataset/dataset.js';
import { bytesOf } from '../dataset/imageSource.js';
import { pixelFormat } from '../dataset/preparation.js';
import { createDecoder, type DecoderOptions } from '../images/decoding/decoder.js';
import { limiter, settleAll } from '../images/limiter.js';
import { createQuarantine } from '../images/storage/quarantine.js';
import { disjointSets } from './disjointSets.js';
import { type DuplicateGroups, duplicateFinder } from './duplicates.js';
import { nearDuplicateFinder } from './nearDuplicates.js';
import { HASH_WORDS, perceptualHash } from './perceptualHash.js';

/** What hashing needs of a dataset. */
export type HashedDataset = Pick<Dataset, 'name' | 'names' | 'images' | 'preparation'>;

export interface HashOptions extends DecoderOptions {
  /** Folder in which hashes are kept; if omitted, they are not kept. */
  readonly folder?: string | undefined;
  /** Called before images are read, which takes a while. */
  readonly onNote?: ((text: string) => void) | undefined;
}

/** The size at which images are hashed. */
const hashedSize = 224;

const contentBytes = 8;
const rowBytes = contentBytes + 2 * HASH_WORDS + 1;
/** The last byte of a row says what it holds. */
const state = { unreadable: 0, oneColor: 1, hashed: 2 } as const;

/**
 * Finds sets of images that look alike or are the same bytes, among all images of a dataset. Images that cannot be
 * read are in no set.
 *
 * @example
 * await lookAlikeSets(dataset, { folder: '.anyclass/cache' }) // [[0, 7], [3, 4, 5]]
 */
export async function lookAlikeSets(
  dataset: HashedDataset,
  options: HashOptions = {},
): Promise<DuplicateGroups> {
  const rows = Int32Array.from({ length: dataset.names.length }, (_, row) => row);
  const { folder } = options;
  if (folder === undefined) return setsOf(await hashImages(dataset, rows, options), rows);
  const path = join(folder, `look-alikes-${(await keyOf(dataset, rows)).slice(0, 16)}.bin`);
  const stored = readStored(path, rows.length);
  if (stored) return setsOf(stored, rows);
  mkdirSync(folder, { recursive: true });
  // Processes that train together open the data at the same time: one of them reads the images.
  using _lock = await takeSharedLock(`${path}.lock`);
  const hashes = readStored(path, rows.length) ?? (await hashImages(dataset, rows, options));
  writeFileAtomically(path, (write) => write(hashes));
  return setsOf(hashes, rows);
}

/**
 * The same among some of the images, without keeping anything.
 */
export async function lookAlikesAmong(
  dataset: HashedDataset,
  rows: Int32Array,
  options: DecoderOptions = {},
): Promise<DuplicateGroups> {
  return setsOf(await hashImages(dataset, rows, options), rows);
}

/** One record per row of `rows`. */
async function hashImages(
  dataset: HashedDataset,
  rows: Int32Array,
  options: HashOptions,
): Promise<Uint8Array> {
  options.onNote?.(
    `reading ${rows.length} images of ${dataset.name} to find those that look alike; this is done once`,
  );
  const format = pixelFormat(hashedSize, dataset.preparation);
  const records = Buffer.alloc(rows.length * rowBytes);
  const quarantine = createQuarantine(dataset.names, { strict: false });
  const limited = limiter(2 * (options.processes || ownThreads()));
  const decoder = createDecoder(format, options);
  const hash = async (i: number) => {
    const row = rows[i]!;
    try {
      const image = await dataset.images.read(row);
      const looks = perceptualHash(await decoder.decode(image), format);
      const record = records.subarray(i * rowBytes, (i + 1) * rowBytes);
      createHash('sha256').update(bytesOf(image)).digest().copy(record, 0, 0, contentBytes);
      looks?.forEach((word, k) => {
        record.writeUInt16LE(word, contentBytes + 2 * k);
      });
      record[rowBytes - 1] = looks ? state.hashed : state.oneColor;
    } catch (error) {
      quarantine.add(row, error); // throws if the storage is gone
    }
  };
  try {
    // A few thousand at a time: a million pending promises would cost more memory than the hashes.
    for (let start = 0; start < rows.length; start += 4096) {
      const end = Math.min(rows.length, start + 4096);
      await settleAll(Array.from({ length: end - start }, (_, i) => limited(() => hash(start + i))));
    }
  } finally {
    await decoder.close();
  }
  return records;
}

function setsOf(hashes: Uint8Array, rows: Int32Array): DuplicateGroups {
  const records = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length);
  const same = duplicateFinder(rows.length);
  const near = nearDuplicateFinder(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const record = records.subarray(i * rowBytes, (i + 1) * rowBytes);
    if (record[rowBytes - 1] === state.unreadable) continue;
    same.add(i, record.subarray(0, contentBytes));
    if (record[rowBytes - 1] !== state.hashed) continue;
    near.add(
      i,
      Uint16Array.from({ length: HASH_WORDS }, (_, k) => record.readUInt16LE(contentBytes + 2 * k)),
    );
  }
  const sets = disjointSets(rows.length);
  for (const members of [...same.groups(), ...near.sets()]) {
    for (const member of members) sets.join(members[0]!, member);
  }
  return sets.larger().map((members) => members.map((i) => rows[i]!));
}

/** Changes with the images and with how they are read. */
async function keyOf({ names, images, preparation }: HashedDataset, rows: Int32Array): Promise<string> {
  const hash = createHash('sha256')
    .update(JSON.stringify(pixelFormat(hashedSize, preparation)))
    .update(names.bytes);
  const limited = limiter(64);
  for (let start = 0; start < rows.length; start += 4096) {
    const some = Array.from(rows.subarray(start, start + 4096));
    const fingerprints = await settleAll(
      some.map((row) => limited(() => images.fingerprint(row).catch(() => 'missing'))),
    );
    hash.update(fingerprints.join('\n'));
  }
  return hash.digest('hex');
}

function readStored(path: string, rows: number): Uint8Array | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  return bytes.length === rows * rowBytes ? bytes : undefined;
}
