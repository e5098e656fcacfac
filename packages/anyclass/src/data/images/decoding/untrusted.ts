// Checks the declared format and size of an image from a stranger before decoding it, because a few bytes can
// stand for gigabytes of pixels.

import sharp from 'sharp';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { PixelLimitError } from '../../dataset/reading/pixelLimit.js';
import { imageKind } from '../formats/imageKind.js';
import { imageSize } from './decode.js';

/** An image in a format that is not accepted. */
export class ImageFormatError extends DataError {
  override readonly name: string = 'ImageFormatError';
}

/** Formats of sharp that strangers may send; not SVG or PDF, which are more programs than images. */
const formats: readonly string[] = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'heif', 'jp2', 'jxl'];

/**
 * Refuses files that are not images or have too many pixels.
 *
 * @throws DataError; a PixelLimitError or an ImageFormatError if that is the reason
 *
 * @example
 * await checkUntrusted(bytes, 64e6);
 */
export async function checkUntrusted(bytes: Uint8Array, mostPixels: number): Promise<void> {
  if (bytes.length === 0) throw new DataError('the image is empty');
  const kind = imageKind(bytes);
  checkDeclared(
    kind === 'dicom' || kind === 'bmp'
      ? await imageSize({ kind: 'encoded', bytes })
      : await acceptedSize(bytes),
    mostPixels,
  );
}

/** Refuses an image whose header declares too many pixels. */
export function checkDeclared({ width, height }: DeclaredPixels, mostPixels: number): void {
  if (width * height <= mostPixels) return;
  const megapixels = (pixels: number) => (pixels / 1e6).toFixed(1).replace(/\.0$/, '');
  throw new PixelLimitError(
    `the image has ${width} x ${height} pixels, ${megapixels(width * height)} megapixels; the limit is ${megapixels(mostPixels)}`,
  );
}

interface DeclaredPixels {
  readonly width: number;
  readonly height: number;
}

async function acceptedSize(bytes: Uint8Array): Promise<DeclaredPixels> {
  const { format, width, height } = await metadata(bytes);
  if (formats.includes(format)) return { width, height };
  throw new ImageFormatError(
    `${format} images are not supported; send JPEG, PNG, WebP, TIFF, GIF, BMP or DICOM`,
  );
}

async function metadata(bytes: Uint8Array) {
  try {
    return await sharp(bytes).metadata();
  } catch (error) {
    throw new DataError(reasonOf(error).replace(/^Input buffer/, 'the image'));
  }
}
