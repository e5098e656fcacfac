// What a file must hash to, and whether it does.

import { createHash, type Hash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';

export interface Checksum {
  /** `git`: SHA-1 as git hashes a file, after a header with its size. */
  readonly algorithm: 'sha256' | 'git';
  /** Hexadecimal; only the first digits if no more are known. */
  readonly value: string;
}

/**
 * Reads a checksum from the hub's ETag for a file: SHA-256 for a large file, git's hash for a small one.
 *
 * @example
 * checksumOfTag('d7edf6bd2a681fb0175f7735299831ee1b22b812') // { algorithm: 'git', value: 'd7ed…' }
 */
export function checksumOfTag(tag: string): Checksum | undefined {
  if (/^[0-9a-f]{64}$/.test(tag)) return { algorithm: 'sha256', value: tag };
  return /^[0-9a-f]{40}$/.test(tag) ? { algorithm: 'git', value: tag } : undefined;
}

/** Starts a hash of a file of `size` bytes; feed it the content. */
export function startHash({ algorithm }: Pick<Checksum, 'algorithm'>, size: number): Hash {
  return algorithm === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${size}\0`);
}

/**
 * Hashes a file with a checksum's algorithm.
 *
 * @example
 * await fileHash('model.safetensors', { algorithm: 'sha256' }) // 'a1b2…'
 */
export async function fileHash(path: string, checksum: Pick<Checksum, 'algorithm'>): Promise<string> {
  const hash = startHash(checksum, statSync(path).size);
  for await (const part of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(part);
  return hash.digest('hex');
}
