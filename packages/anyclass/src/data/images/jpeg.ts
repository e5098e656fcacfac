// The JPEG decoder in native/images, where setup built it. Like Pillow's antialiased bilinear it filters the whole
// picture, and only what is four times too large or more is shrunk while it is decoded: most pixels are Pillow's own.

import type { PixelFormat } from './decode.js';
import { type ImagesAddon, imagesAddon } from './imagesAddon.js';

/** As in native/images/jpeg.cc. */
const mostPixels = 100e6;

/** What decodes JPEG: not on every machine the same. The pixels of the two differ by a gray level here and there. */
export type JpegDecoder = 'libjpeg-turbo' | 'sharp';

/**
 * Decode a JPEG into `out` at `offset`, on a thread. False for what is not a plain one without fault: another format,
 * CMYK, a color profile other than sRGB, damaged, or no decoder here; `out` may then hold anything.
 * Until the promise settles, neither array may be transferred to another thread.
 *
 * @example
 * await decodeJpeg(bytes, { width: 224, height: 224, channels: 3 }, out, 0) // true
 */
export async function decodeJpeg(
  bytes: Uint8Array,
  format: PixelFormat,
  out: Uint8Array,
  offset: number,
): Promise<boolean> {
  const decode = decoder();
  if (decode === undefined || !isJpeg(bytes) || isLimited(format)) return false;
  return decode(bytes, out, offset, format.width, format.height, format.channels);
}

/**
 * The same for a file, by its name: the thread that decodes it reads it too. Node reads four files at a time, which is
 * little where a disk or its network is slow.
 *
 * @example
 * await decodeJpegFile('scans/1.jpg', { width: 224, height: 224, channels: 3 }, out, 0) // true
 */
export async function decodeJpegFile(
  path: string,
  format: PixelFormat,
  out: Uint8Array,
  offset: number,
): Promise<boolean> {
  if (decoder() === undefined || !/\.jpe?g$/i.test(path) || isLimited(format)) return false;
  const { width, height, channels } = format;
  return imagesAddon()?.decodeJpegFile?.(path, out, offset, width, height, channels) ?? false;
}

/**
 * What decodes JPEG here: sharp where setup found no libjpeg-turbo, or where ANYCLASS_JPEG=sharp asks for it.
 *
 * @example
 * jpegDecoder() // 'libjpeg-turbo'
 */
export function jpegDecoder(): JpegDecoder {
  return decoder() === undefined ? 'sharp' : 'libjpeg-turbo';
}

function decoder(): ImagesAddon['decodeJpeg'] {
  return process.env['ANYCLASS_JPEG'] === 'sharp' ? undefined : imagesAddon()?.decodeJpeg;
}

/** Whether fewer pixels are allowed than this decoder takes, which knows no limit of ours; sharp does. */
function isLimited({ pixelLimit = mostPixels }: PixelFormat): boolean {
  return pixelLimit < mostPixels;
}

function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}
