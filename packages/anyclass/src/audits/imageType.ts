// The type of a kept image, from its first bytes: it is stored under its hash alone.

import { closeSync, openSync, readSync } from 'node:fs';

export interface ImageType {
  readonly extension: string;
  readonly media: string;
  /** Whether browsers show it. */
  readonly isShown: boolean;
}

const types: readonly (ImageType & { readonly starts: (bytes: Buffer) => boolean })[] = [
  {
    extension: 'jpg',
    media: 'image/jpeg',
    isShown: true,
    starts: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8,
  },
  {
    extension: 'png',
    media: 'image/png',
    isShown: true,
    starts: (bytes) => bytes.toString('latin1', 1, 4) === 'PNG',
  },
  {
    extension: 'webp',
    media: 'image/webp',
    isShown: true,
    starts: (bytes) => bytes.toString('latin1', 8, 12) === 'WEBP',
  },
  {
    extension: 'gif',
    media: 'image/gif',
    isShown: true,
    starts: (bytes) => bytes.toString('latin1', 0, 3) === 'GIF',
  },
  {
    extension: 'tif',
    media: 'image/tiff',
    isShown: false,
    starts: (bytes) => /^(II|MM)/.test(bytes.toString('latin1', 0, 2)),
  },
  {
    extension: 'dcm',
    media: 'application/dicom',
    isShown: false,
    starts: (bytes) => bytes.toString('latin1', 128, 132) === 'DICM',
  },
];

/**
 * Returns the type of an image file.
 *
 * @example
 * imageType('audited/0c9f…').extension // 'jpg'
 */
export function imageType(path: string): ImageType {
  const bytes = Buffer.alloc(132);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(file);
  }
  const found = types.find(({ starts }) => starts(bytes));
  if (!found) return { extension: 'bin', media: 'application/octet-stream', isShown: false };
  const { extension, media, isShown } = found;
  return { extension, media, isShown };
}
