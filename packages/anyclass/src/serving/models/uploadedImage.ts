// Checks the declared format and size of an upload before decoding, because a few bytes can stand for
// gigabytes of pixels.

import sharp from 'sharp';
import { imageSize } from '../../data/images/decoding/decode.js';
import { imageKind } from '../../data/images/formats/imageKind.js';
import { jpegFrame } from '../../data/images/formats/jpegFrame.js';
import { reasonOf } from '../../errors/reasonOf.js';
import { Problem } from '../requests/problem.js';

/** Formats of sharp that untrusted clients may send; not SVG or PDF, which are more programs than images. */
const formats: readonly string[] = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'heif', 'jp2', 'jxl'];

/**
 * Refuses files that are not images or have too many pixels.
 *
 * @throws Problem
 *
 * @example
 * await checkUpload(bytes, 64e6);
 */
export async function checkUpload(bytes: Uint8Array, maxPixels: number): Promise<void> {
  if (bytes.length === 0) throw new Problem('unreadable', 'the image is empty');
  const { width, height } = jpegFrame(bytes) ?? (await declaredSize(bytes));
  if (width * height <= maxPixels) return;
  const megapixels = (pixels: number) => (pixels / 1e6).toFixed(1).replace(/\.0$/, '');
  throw new Problem(
    'too-large',
    `the image has ${width} x ${height} pixels, ${megapixels(width * height)} megapixels; the limit is ${megapixels(maxPixels)}`,
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
}

async function declaredSize(bytes: Uint8Array): Promise<Size> {
  const kind = imageKind(bytes);
  if (kind === 'dicom' || kind === 'bmp') return unsharpSize(bytes);
  const { format, width, height } = await metadata(bytes);
  if (!formats.includes(format)) {
    throw new Problem(
      'wrong-type',
      `${format} images are not supported; send JPEG, PNG, WebP, TIFF, GIF, BMP or DICOM`,
    );
  }
  return { width, height };
}

/** Reads the size of images in formats that sharp cannot read. */
async function unsharpSize(bytes: Uint8Array): Promise<Size> {
  try {
    return await imageSize({ kind: 'encoded', bytes });
  } catch (error) {
    throw new Problem('unreadable', reasonOf(error));
  }
}

async function metadata(bytes: Uint8Array) {
  try {
    return await sharp(bytes).metadata();
  } catch (error) {
    throw new Problem('unreadable', reasonOf(error).replace(/^Input buffer/, 'the image'));
  }
}
