// The native image addon, which setup builds. It may be missing; all callers have a fallback.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { findBuild, type NativeLibrary } from '@anyclass/torch/builds';

export const imagesLibrary: NativeLibrary = {
  packageFolder: fileURLToPath(new URL('../../../..', import.meta.url)),
  sourceFolders: ['native/images', 'native/shared'],
  file: 'images.node',
  usesLibtorch: false,
};

/**
 * The addon's functions run on threads; until a promise settles, no array may be
 * transferred to another thread.
 */
export interface ImagesAddon {
  /**
   * Reads rows of `bytes` bytes each from an open file, one after another into `out` at `offset`.
   * Returns false if the file ends early, cannot be read, or has a row whose checksum (zlib's crc32)
   * differs from the given one.
   */
  readRows(
    file: number,
    rows: Int32Array,
    checksums: Uint32Array,
    bytes: number,
    out: Uint8Array,
    offset: number,
  ): Promise<boolean>;
  /** Decodes a JPEG; false if it cannot. Like the next one, missing if built without libjpeg-turbo. */
  decodeJpeg?(bytes: Uint8Array, ...destination: Destination): Promise<boolean>;
  /** The same for a file; also false if it cannot be read. */
  decodeJpegFile?(path: string, ...destination: Destination): Promise<boolean>;
}

type Destination = [out: Uint8Array, offset: number, width: number, height: number, channels: number];

let opened: { readonly addon: ImagesAddon | undefined } | undefined;

/** The addon, loaded by the first call; undefined if it is missing. */
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
    return undefined; // for example, libjpeg was removed after the build
  }
}
