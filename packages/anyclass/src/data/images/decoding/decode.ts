import { setTimeout as sleep } from 'node:timers/promises';
import type { Sharp } from 'sharp';
import { DataError } from '../../../errors/dataError.js';
import type { StoredImage } from '../../dataset/imageSource.js';
import { type ImageReading, imageBytes, type PixelFormat } from '../../dataset/reading/pixelFormat.js';
import { decodeError, openEncoded, openPixelsOf } from '../formats/sharpImage.js';
import { encodedFacts, type ImageFacts, unpacked } from '../formats/unpack.js';
import { MachineError } from '../storage/storage.js';
import { enlarge } from './enlarge.js';
import { decodeJpeg } from './jpeg.js';

/** Decodes everything that the JPEG decoder does not. */
type DecodeOther = (image: StoredImage, format: PixelFormat) => Promise<Uint8Array>;

const longestDecode = 60; // seconds; stops a decoder that loops on a damaged file

/**
 * Decodes an image to 8-bit pixels of a given size, rows from the top, channels interleaved.
 *
 * The aspect ratio is not kept, as in the paper's recipe. Shrinking averages (a triangle filter, like
 * Pillow's antialiased bilinear); enlarging is bilinear. EXIF rotation is applied. More than 8 bits are
 * reduced to 8 by `format.window`. Palettes and CMYK are converted to RGB by their profile. `format.frame`
 * selects a frame of an animation. Transparent pixels become black.
 *
 * @example
 * (await decodeImage({ kind: 'encoded', bytes }, { width: 224, height: 224, channels: 3 })).length // 150528
 */
export async function decodeImage(
  image: StoredImage,
  format: PixelFormat,
  decodeOther: DecodeOther = decodeWithSharp,
): Promise<Uint8Array> {
  const stored = storedPixels(image, format);
  if (stored) return stored;
  const out = new Uint8Array(imageBytes(format));
  await decodeInto(image, format, out, 0, decodeOther);
  return out;
}

/**
 * Decodes an image as `decodeImage` does, into existing memory.
 *
 * @example
 * await decodeInto({ kind: 'encoded', bytes }, format, batch, 3 * imageBytes(format)) // the fourth image of a batch
 */
export async function decodeInto(
  image: StoredImage,
  format: PixelFormat,
  out: Uint8Array,
  offset: number,
  decodeOther: DecodeOther = decodeWithSharp,
): Promise<void> {
  const stored = storedPixels(image, format);
  if (stored) out.set(stored, offset);
  else if (image.kind === 'pixels' || !(await decodeJpeg(image.bytes, format, out, offset)))
    out.set(await decodeOther(image, format), offset);
}

/**
 * Decodes with sharp: every format and special case, with a reason if an image is damaged. Formats that sharp
 * does not read are unpacked first.
 */
export function decodeWithSharp(image: StoredImage, format: PixelFormat): Promise<Uint8Array> {
  return patiently(() => decodeOnce(image, format));
}

const pauses = [100, 200, 400, 800]; // milliseconds

/**
 * Rejects with a readable error. If the machine is short of a resource, other images may soon free it, so the
 * work is retried for about a second.
 */
async function patiently<Result>(work: () => Promise<Result>, attempt = 0): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const problem = decodeError(error);
    const pause = pauses[attempt];
    if (!(problem instanceof MachineError) || pause === undefined) throw problem;
    await sleep(pause);
    return patiently(work, attempt + 1);
  }
}

async function decodeOnce(image: StoredImage, format: PixelFormat): Promise<Uint8Array> {
  const { width, height, channels } = format;
  const opened = await openImage(image, format);
  const { data, info } = await opened
    .autoOrient()
    .flatten({ background: '#000' })
    .resize(width, height, {
      fit: 'fill',
      kernel: 'linear',
      withoutEnlargement: true,
      // libwebp would shrink with its own filter, which no other program can reproduce.
      fastShrinkOnLoad: false,
    })
    .toColorspace(channels === 1 ? 'b-w' : 'srgb')
    .timeout({ seconds: longestDecode })
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (data.length !== info.width * info.height * channels) {
    throw new DataError(`decoded to ${info.channels} channels; expected ${channels}`);
  }
  return enlarge(data, info.width, info.height, format);
}

/** Opens an image with sharp, in 8 bits and not yet resized. */
export async function openImage(image: StoredImage, reading: ImageReading): Promise<Sharp> {
  const { image: plain, page = 0 } = await unpacked(image, reading);
  if (plain.kind === 'pixels') return openPixelsOf(plain.pixels, plain);
  const { pixelLimit } = reading;
  return openEncoded(plain.bytes, page === 0 ? { pixelLimit } : { pixelLimit, page });
}

/**
 * The width, height, channels, and frames of a stored image, after EXIF rotation,
 * without decoding its pixels.
 */
export async function imageSize(image: StoredImage, reading: ImageReading = {}): Promise<ImageFacts> {
  if (image.kind === 'pixels') return { ...image, frames: 1 };
  return patiently(() => encodedFacts(image.bytes, reading));
}

/** The pixels of an image that is already stored in the wanted format. */
function storedPixels(image: StoredImage, { width, height, channels }: PixelFormat): Uint8Array | undefined {
  const isWanted =
    image.kind === 'pixels' &&
    image.width === width &&
    image.height === height &&
    image.channels === channels;
  return isWanted ? image.pixels : undefined;
}
