import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/**
 * Returns the version of a model's file, the start of its hash, as pages and predictions name it.
 *
 * @example
 * await fileVersion('runs/sewer/model.safetensors') // '0350d3e4f4b7'
 */
export async function fileVersion(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(part);
  return hash.digest('hex').slice(0, 12);
}
