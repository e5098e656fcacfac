// Recognizes rows of other data by what they hold: names and paths change when data is copied, and coincide between sites that
// number their images.

import { createHash } from 'node:crypto';
import type { Dataset } from '../dataset/dataset.js';
import { bytesOf } from '../dataset/imageSource.js';
import { limiter, settleAll } from '../images/limiter.js';
import { readImageParts } from '../images/storage/imageFile.js';

/** So much of an image is hashed at its start and in its middle, beside its size: images of any size take a moment. */
const partBytes = 16 * 1024;

/**
 * A hash of what each row holds, the same wherever the row is copied to; empty for images that cannot be read. Rows of features
 * may hold the same by chance, so their names count as well.
 *
 * @example
 * await rowContents(dataset, dataset.splits.validation) // ['0f3b…', '91aa…', …]
 */
export async function rowContents(
  { names, images, features }: Pick<Dataset, 'names' | 'images' | 'features'>,
  rows: Int32Array,
): Promise<string[]> {
  const limited = limiter(16);
  const contentOf = async (row: number): Promise<string> => {
    if (features) {
      const values = new Float32Array(features.names.length);
      await features.read(Int32Array.of(row), values);
      return hashOf(ownName(names.at(row)), new Uint8Array(values.buffer));
    }
    const path = images.path?.(row);
    const { size, parts } =
      path === undefined ? partsOf(bytesOf(await images.read(row))) : await readImageParts(path, partBytes);
    return hashOf(String(size), ...parts);
  };
  const found: string[] = [];
  // A few thousand at a time: a million pending promises would cost more memory than the hashes.
  for (let start = 0; start < rows.length; start += 4096) {
    const some = Array.from(rows.subarray(start, start + 4096));
    found.push(...(await settleAll(some.map((row) => limited(() => contentOf(row).catch(() => ''))))));
  }
  return found;
}

/** Rows without names are called after their table, `pipes.csv#12`, and a copy of it may have another name. */
function ownName(name: string): string {
  return name.replace(/^.*(?=#\d+$)/s, '');
}

function partsOf(bytes: Uint8Array): { readonly size: number; readonly parts: readonly Uint8Array[] } {
  const middle = Math.floor(bytes.length / 2);
  return {
    size: bytes.length,
    parts: [0, middle].map((start) => bytes.subarray(start, start + partBytes)),
  };
}

function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}
