// Checksums in the metadata of a safetensors file: one per tensor, including its name, dtype and shape, and one for the
// other metadata. The format itself has none, so a file whose weights were zeroed would load like any other.

import { crc32 } from 'node:zlib';
import { quoted } from './errors.js';
import type { RandomAccessFile } from './randomAccessFile.js';
import type { SafetensorsEntry, SafetensorsHeader } from './safetensorsHeader.js';
import type { StoredTensor } from './storedTensor.js';

/** The metadata entry that holds them. */
export const checksumsKey = 'checksums';

/**
 * Returns the text of the checksum entry for these tensors and this metadata. Reads the data of every tensor once.
 *
 * @example
 * checksumsOf([['fc.bias', bias]], { epoch: '3' }) // '{"metadata":"5a1c9e07","tensors":{"fc.bias":"84d2…"}}'
 */
export function checksumsOf(
  tensors: Iterable<readonly [string, StoredTensor]>,
  metadata: Readonly<Record<string, string>>,
): string {
  const sums = Array.from(tensors, ([name, tensor]): [string, string] => [
    name,
    hexadecimal(crc32(tensor.data, identityChecksum(name, tensor))),
  ]);
  return JSON.stringify({ metadata: metadataChecksum(metadata), tensors: Object.fromEntries(sums) });
}

/**
 * Checks the metadata against its checksum, and returns a function that checks tensors against theirs; undefined for a
 * file without checksums.
 *
 * @throws the file's error if something changed after the file was written
 */
export function checksumVerifier(
  file: RandomAccessFile,
  { entries, metadata }: SafetensorsHeader,
): ((name: string, data: Uint8Array) => void) | undefined {
  const text = metadata[checksumsKey];
  if (text === undefined) return undefined;
  const sums = parsedSums(text);
  if (sums === undefined || sums.metadata !== metadataChecksum(metadata))
    throw file.error('is damaged: its metadata differs from what was written; restore the file');
  return (name, data) => {
    const entry = entries.get(name);
    const found = entry && hexadecimal(crc32(data, identityChecksum(name, entry)));
    if (found === undefined || sums.tensors.get(name) !== found)
      throw file.error(`is damaged: tensor ${quoted(name)} differs from what was written; restore the file`);
  };
}

/**
 * Checks everything in a file against its checksums, one tensor at a time; returns false for a file without checksums.
 *
 * @throws the file's error if something changed after the file was written
 */
export function verifyChecksums(file: RandomAccessFile, header: SafetensorsHeader): boolean {
  const verify = checksumVerifier(file, header);
  if (!verify) return false;
  for (const [name, { byteOffset, byteLength }] of header.entries)
    verify(name, file.read(byteOffset, byteLength));
  return true;
}

/** Checksum of a tensor's name, dtype and shape; it is then continued over the tensor's bytes. */
function identityChecksum(name: string, { dtype, shape }: Pick<SafetensorsEntry, 'dtype' | 'shape'>): number {
  return crc32(`${name} ${dtype} ${shape}`);
}

function metadataChecksum(metadata: Readonly<Record<string, string>>): string {
  const others = Object.entries(metadata).filter(([key]) => key !== checksumsKey);
  return hexadecimal(crc32(JSON.stringify(others.sort(([a], [b]) => (a < b ? -1 : 1)))));
}

function hexadecimal(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}

function parsedSums(
  text: string,
): { readonly metadata: string; readonly tensors: ReadonlyMap<string, unknown> } | undefined {
  try {
    const { metadata, tensors } = JSON.parse(text);
    if (typeof metadata !== 'string' || typeof tensors !== 'object' || tensors === null) return undefined;
    return { metadata, tensors: new Map(Object.entries(tensors)) };
  } catch {
    return undefined;
  }
}
