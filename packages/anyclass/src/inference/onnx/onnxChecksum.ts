// The seal of an exported file: the last entry of its metadata is the SHA-256 of all bytes before it.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { UserError } from '../../errors/userError.js';

/** The key of the seal in the metadata. */
export const sealKey = 'sha256';

/** The entry with its tags and lengths (fields 14, 1 and 2 of onnx.proto), up to the 64-digit digest. */
const sealStart = `\x72\x4a\x0a\x06${sealKey}\x12\x40`;
const sealLength = sealStart.length + 64;

/**
 * Checks a file against its seal.
 *
 * @returns false if the file has no seal: another program or an earlier version wrote it
 * @throws UserError if the file differs from what was written
 *
 * @example
 * checkSeal('model.onnx') // true
 */
export function checkSeal(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const length = fstatSync(file).size - sealLength;
    if (length < 0) return false;
    const tail = new Uint8Array(sealLength);
    readSync(file, tail, 0, sealLength, length);
    const text = Buffer.from(tail).toString('latin1');
    if (!text.includes(sealKey)) return false;
    if (text !== sealStart + digestOf(file, length))
      throw new UserError(
        `${path}: is damaged: its bytes do not match the checksum that was written with them; export the model again`,
      );
    return true;
  } finally {
    closeSync(file);
  }
}

function digestOf(file: number, length: number): string {
  const hash = createHash('sha256');
  const buffer = new Uint8Array(1 << 20);
  for (let at = 0; at < length; ) {
    const count = readSync(file, buffer, 0, Math.min(buffer.length, length - at), at);
    if (count === 0) break;
    hash.update(buffer.subarray(0, count));
    at += count;
  }
  return hash.digest('hex');
}
