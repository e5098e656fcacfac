// The native part of images, which set-up builds; undefined where it is missing, and everything has another way then.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Its functions work on threads; until a promise settles, no array may be transferred to another thread. */
export interface ImagesAddon {
  /**
   * Rows of an open file of records of `bytes` bytes, one after another into `out` at `offset`. False where the file
   * ends early or cannot be read.
   */
  readRows(file: number, rows: Int32Array, bytes: number, out: Uint8Array, offset: number): Promise<boolean>;
  /** Left out where it was built without libjpeg-turbo, as the next. */
  decodeJpeg?(bytes: Uint8Array, ...destination: Destination): Promise<boolean>;
  /** The same of a file; false also where it cannot be read. */
  decodeJpegFile?(path: string, ...destination: Destination): Promise<boolean>;
}

type Destination = [out: Uint8Array, offset: number, width: number, height: number, channels: number];

export const imagesAddon = load();

function load(): ImagesAddon | undefined {
  const path = fileURLToPath(new URL('../../../build/images/images.node', import.meta.url));
  if (!existsSync(path)) return undefined;
  try {
    return createRequire(import.meta.url)(path);
  } catch {
    return undefined; // built where libjpeg was, and it is no longer there
  }
}
