// Converts what sharp does not read, or would read differently than intended: DICOM and BMP, more than 8 bits
// per channel, and frames other than the first.

import type { StoredImage } from '../../dataset/imageSource.js';
import { frameIndex } from '../../dataset/reading/frames.js';
import type { ImageReading } from '../../dataset/reading/pixelFormat.js';
import { defaultWindow } from '../../dataset/reading/window.js';
import { decodeDicom, dicomSize } from '../dicom/decodeDicom.js';
import { type Levels, windowed } from '../levels/levels.js';
import { isDeep, sharpLevels } from '../levels/sharpLevels.js';
import { bitmapSize, decodeBitmap } from './bmp.js';
import { imageKind } from './imageKind.js';
import { openEncoded } from './sharpImage.js';
import { tiffLevels } from './tiffStrips.js';

export interface UnpackedImage {
  readonly image: StoredImage;
  /** The frame of an encoded image with several, counted from 0. */
  readonly page?: number;
}

/**
 * Converts an image to one that sharp reads as intended. Ordinary files pass unchanged.
 *
 * @example
 * (await unpacked({ kind: 'encoded', bytes: dicom }, { window: [-160, 240] })).image.kind // 'pixels'
 */
export async function unpacked(image: StoredImage, reading: ImageReading): Promise<UnpackedImage> {
  if (image.kind === 'pixels') return { image };
  const { bytes } = image;
  const kind = imageKind(bytes);
  if (kind === 'plain') return { image };
  if (kind === 'bmp') return { image: decodeBitmap(bytes, reading.pixelLimit) };
  if (kind === 'dicom') {
    const content = await decodeDicom(bytes, reading);
    return { image: 'kind' in content ? content : shownLevels(content, reading) };
  }
  if (kind === 'animation' && (reading.frame ?? 'first') === 'first') return { image };
  const levels = await deepLevels(bytes, reading);
  return 'page' in levels ? { image, page: levels.page } : { image: shownLevels(levels, reading) };
}

/**
 * The levels of an image with more than 8 bits; undefined if a window would have no effect.
 *
 * @example
 * const levels = await imageLevels({ kind: 'encoded', bytes }, {});
 * levels && percentileLevels(levels, [0, 100]) // [0, 4095]
 */
export async function imageLevels(image: StoredImage, reading: ImageReading): Promise<Levels | undefined> {
  if (image.kind === 'pixels') return undefined;
  const kind = imageKind(image.bytes);
  if (kind !== 'dicom' && kind !== 'png16' && kind !== 'tiff') return undefined;
  const content =
    kind === 'dicom' ? await decodeDicom(image.bytes, reading) : await deepLevels(image.bytes, reading);
  return 'values' in content ? content : undefined;
}

export interface ImageFacts {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** Pages of a TIFF, or frames of a GIF, WebP, or DICOM. */
  readonly frames: number;
}

/** The size after EXIF rotation, channels, and frames of an encoded image, without decoding its pixels. */
export async function encodedFacts(bytes: Uint8Array, { pixelLimit }: ImageReading): Promise<ImageFacts> {
  const kind = imageKind(bytes);
  if (kind === 'dicom') return dicomSize(bytes);
  if (kind === 'bmp') return { ...bitmapSize(bytes), frames: 1 };
  const { autoOrient, channels, pages = 1 } = await openEncoded(bytes, { pixelLimit }).metadata();
  return { ...autoOrient, channels, frames: pages };
}

/** The levels of a PNG or TIFF; if it has 8 bits, or is another kind of file, only the page to read. */
async function deepLevels(
  bytes: Uint8Array,
  { frame = 'first', pixelLimit }: ImageReading,
): Promise<Levels | { readonly page: number }> {
  const levels = await tiffLevels(bytes, { pixelLimit });
  if (levels) return levels;
  const metadata = await openEncoded(bytes, { pixelLimit }).metadata();
  const page = frameIndex(frame, metadata.pages ?? 1);
  if (!isDeep(metadata)) return { page };
  // Levels are the stored values, without the color profile.
  return sharpLevels(openEncoded(bytes, { page, pixelLimit, ignoreIcc: true }), metadata);
}

function shownLevels(levels: Levels, { window = defaultWindow }: ImageReading): StoredImage {
  const { width, height, channels } = levels;
  return { kind: 'pixels', pixels: windowed(levels, window), width, height, channels };
}
