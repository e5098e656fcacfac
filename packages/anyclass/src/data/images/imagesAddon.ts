// The native part of images, which setup builds; undefined where it is missing, and everything has another way then.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { findBuild, type NativeLibrary } from '@anyclass/torch/builds';

export const imagesLibrary: NativeLibrary = {
  packageFolder: fileURLToPath(new URL('../../..', import.meta.url)),
  sourceFolders: ['native/images', 'native/shared'],
  file: 'images.node',
  usesLibtorch: false,
};

/** Its functions work on threads; until a promise settles, no array may be transferred to another thread. */
export interface ImagesAddon {
  /**
   * Rows of an open file of records of `bytes` bytes, one after another into `out` at `offset`. False where the file
   * ends early, cannot be read, or holds a row whose checksum (zlib's crc32) is not the given one.
   */
  readRows(
    file: number,
    rows: Int32Array,
    checksums: Uint32Array,
    bytes: number,
    out: Uint8Array,
    offset: number,
  ): Promise<boolean>;
  /** Left out where it was built without libjpeg-turbo, as the next. */
  decodeJpeg?(bytes: Uint8Array, ...destination: Destination): Promise<boolean>;
  /** The same of a file; false also where it cannot be read. */
  decodeJpegFile?(path: string, ...destination: Destination): Promise<boolean>;
}

type Destination = [out: Uint8Array, offset: number, width: number, height: number, channels: number];

let opened: { readonly addon: ImagesAddon | undefined } | undefined;

/** Opened by the first call. */
export function imagesAddon(): ImagesAddon | undefined {
  opened ??= { addon: open() };
  return opened.addon;
}

function open(): ImagesAddon | undefined {
  const build = findBuild(imagesLibrary);
  if (!build) return undefined;
  try {
    return createRequire(import.meta.url)(build.path);
  } catch {
    return undefined; // built where libjpeg was, and it is no longer there
  }
}
