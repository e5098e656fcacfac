import { extname } from 'node:path';

const imageExtensions = new Set(
  '.jpg .jpeg .jpe .jfif .png .webp .tif .tiff .gif .avif .bmp .dib .dcm .dicom'.split(' '),
);

/**
 * Whether a file is an image that the decoder reads, as far as its name tells.
 *
 * @example
 * isImageFile('photos/a.JPG') // true
 */
export function isImageFile(path: string): boolean {
  return imageExtensions.has(extname(path).toLowerCase());
}
