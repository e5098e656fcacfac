import { setTimeout as sleep } from 'node:timers/promises';
import type { Sharp } from 'sharp';
import { DataError } from '../../errors/dataError.js';
import { enlarge } from './enlarge.js';
import type { StoredImage } from './imageSource.js';
import { decodeJpeg } from './jpeg.js';
import { decodeError, openEncoded, openPixelsOf } from './sharpImage.js';
import { MachineError } from './storage.js';
import { encodedFacts, type ImageFacts, type ImageReading, unpacked } from './unpack.js';

/** The size of a decoded image, the same for all of a dataset: the network's input. And how files become such images. */
export interface PixelFormat extends ImageReading {
  readonly width: number;
  readonly height: number;
  /** 1 gray, 3 RGB. */
  readonly channels: 1 | 3;
}

/** What decodes all that the JPEG decoder does not. */
type DecodeOther = (image: StoredImage, format: PixelFormat) => Promise<Uint8Array>;

/** Bytes of one decoded image. */
export function imageBytes({ width, height, channels }: PixelFormat): number {
  return width * height * channels;
}

const longestDecode = 60; // seconds; a decoder that loops on a damaged file ends here

/**
 * Decode an image to 8-bit pixels of a size, rows from the top, channels interleaved.
 *
 * Width and height are fitted without keeping their proportion, as the paper's recipe does; shrinking averages (a
 * triangle filter, as Pillow's antialiased bilinear), enlarging is bilinear. EXIF rotation is applied, more than 8 bits become 8 by
 * `format.window`, palettes and CMYK become RGB by their profile, `format.frame` of an animation counts, and what is transparent is
 * black.
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
 * The same, into memory that is there.
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

/** With sharp: every format, every peculiarity, and the reason where an image is damaged. What sharp does not read is unpacked before. */
export function decodeWithSharp(image: StoredImage, format: PixelFormat): Promise<Uint8Array> {
  return patiently(() => decodeOnce(image, format));
}

const pauses = [100, 200, 400, 800]; // milliseconds

/** Tells what is wrong. What the machine lacks now it may have when other images are done: that is tried again for a second. */
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
      // libwebp would shrink with a filter of its own, which no other program can reproduce.
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

/** An image as sharp takes it, in 8 bits; nothing is resized yet. */
export async function openImage(image: StoredImage, reading: ImageReading): Promise<Sharp> {
  const { image: plain, page = 0 } = await unpacked(image, reading);
  if (plain.kind === 'pixels') return openPixelsOf(plain.pixels, plain);
  const { pixelLimit } = reading;
  return openEncoded(plain.bytes, page === 0 ? { pixelLimit } : { pixelLimit, page });
}

/** Width, height, channels and frames of an image as stored, after EXIF rotation, without decoding its pixels. */
export async function imageSize(image: StoredImage, reading: ImageReading = {}): Promise<ImageFacts> {
  if (image.kind === 'pixels') return { ...image, frames: 1 };
  return patiently(() => encodedFacts(image.bytes, reading));
}

/** The pixels of an image that is stored as they are wanted. */
function storedPixels(image: StoredImage, { width, height, channels }: PixelFormat): Uint8Array | undefined {
  const isWanted =
    image.kind === 'pixels' &&
    image.width === width &&
    image.height === height &&
    image.channels === channels;
  return isWanted ? image.pixels : undefined;
}
