// The JPEG decoder in native/images, if setup built it. Like Pillow's antialiased bilinear, it
// filters the full image; only images at least four times too large are shrunk while decoding.
// Most pixels equal Pillow's.

import type { PixelFormat } from '../../dataset/reading/pixelFormat.js';
import { jpegFrame } from '../formats/jpegFrame.js';
import { type ImagesAddon, imagesAddon } from './imagesAddon.js';

/** The same limit as in native/images/jpeg.cc. */
const mostPixels = 100e6;

/** The JPEG decoder, which depends on the machine. The pixels of the two sometimes differ by a gray level. */
export type JpegDecoder = 'libjpeg-turbo' | 'sharp';

/**
 * Decodes a JPEG into `out` at `offset`, on a thread. Returns false for anything but an intact, plain
 * JPEG (another format, CMYK, a color profile other than sRGB, damage), or if this machine has no
 * decoder; the content of `out` is then undefined. Until the promise settles, neither array may be
 * transferred to another thread.
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
  if (decode === undefined || !isJpeg(bytes) || isOverLimit(bytes, format)) return false;
  return decode(bytes, out, offset, format.width, format.height, format.channels);
}

/**
 * The same for a file: the thread that decodes it also reads it. Node reads only four files at a time, which
 * is too few for a slow disk or network.
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
 * The JPEG decoder of this process: sharp if setup found no libjpeg-turbo, or if ANYCLASS_JPEG is `sharp`.
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

/** Whether sharp is to enforce the pixel limit, because the image exceeds it or hides its size. */
function isOverLimit(bytes: Uint8Array, format: PixelFormat): boolean {
  if (!isLimited(format)) return false;
  const frame = jpegFrame(bytes);
  return frame === undefined || frame.width * frame.height > (format.pixelLimit ?? mostPixels);
}

/** Whether the pixel limit is below this decoder's own; sharp then enforces it. */
function isLimited({ pixelLimit = mostPixels }: PixelFormat): boolean {
  return pixelLimit < mostPixels;
}

function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
}
