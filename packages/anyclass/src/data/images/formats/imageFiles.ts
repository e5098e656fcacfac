import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { extname, join } from 'node:path';
import { imageKind } from './imageKind.js';

const imageExtensions = new Set(
  '.jpg .jpeg .jpe .jfif .png .webp .tif .tiff .gif .avif .bmp .dib .dcm .dicom'.split(' '),
);

/** The remark on skipped files in a folder, for one and for many. */
export const skippedWords = [
  'file that is not an image was skipped',
  'files that are not images were skipped',
] as const;

/**
 * Whether a file is an image that the decoder reads, judging by its name.
 *
 * @example
 * isImageFile('photos/a.JPG') // true
 */
export function isImageFile(path: string): boolean {
  return imageExtensions.has(extname(path).toLowerCase());
}

/**
 * Whether an existing file is an image. Scanners write DICOM without an extension, or with a number as one,
 * so the first bytes decide.
 *
 * @example
 * holdsImage('scans', 'IM000001') // true
 */
export function holdsImage(folder: string, file: string): boolean {
  if (isImageFile(file)) return true;
  return /^(\.\d*)?$/.test(extname(file)) && imageKind(firstBytes(join(folder, file))) === 'dicom';
}

function firstBytes(path: string): Uint8Array {
  const bytes = new Uint8Array(132);
  try {
    // Opening a named pipe would otherwise wait for someone to write to it.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return fstatSync(file).isFile() ? bytes.subarray(0, readSync(file, bytes)) : bytes;
    } finally {
      closeSync(file);
    }
  } catch {
    return bytes; // an unreadable file is not an image either
  }
}
