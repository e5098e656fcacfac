import sharp, { type Sharp } from 'sharp';
import { DataError, reasonOf } from '../dataError.js';
import { enlarge } from './enlarge.js';
import type { StoredImage } from './imageSource.js';

/** The size of a decoded image, the same for all of a dataset: the network's input. */
export interface PixelFormat {
  readonly width: number;
  readonly height: number;
  /** 1 gray, 3 RGB. */
  readonly channels: 1 | 3;
}

// Images are decoded side by side, one thread each; libvips need not divide one image among threads, and its cache of
// recent operations would only hold images that come back an epoch later.
sharp.concurrency(1);
sharp.cache(false);

const longestDecode = 60; // seconds; a decoder that loops on a damaged file ends here

/**
 * Decode an image to 8-bit pixels of a size, rows from the top, channels interleaved.
 *
 * Width and height are fitted without keeping their proportion, as the paper's recipe does; shrinking averages (a
 * triangle filter, as Pillow's antialiased bilinear), enlarging is bilinear. EXIF rotation is applied, 16 bits become 8, palettes and CMYK
 * become RGB by their profile, the first frame of an animation counts, and what is transparent is black.
 *
 * @example
 * (await decodeImage({ kind: 'encoded', bytes }, { width: 224, height: 224, channels: 3 })).length // 150528
 */
export async function decodeImage(image: StoredImage, format: PixelFormat): Promise<Uint8Array> {
  const { width, height, channels } = format;
  if (
    image.kind === 'pixels' &&
    image.width === width &&
    image.height === height &&
    image.channels === channels
  ) {
    return image.pixels;
  }
  try {
    const { data, info } = await open(image)
      .autoOrient()
      .flatten({ background: '#000' })
      .resize(width, height, { fit: 'fill', kernel: 'linear', withoutEnlargement: true })
      .toColourspace(channels === 1 ? 'b-w' : 'srgb')
      .timeout({ seconds: longestDecode })
      .raw()
      .toBuffer({ resolveWithObject: true });
    if (data.length !== info.width * info.height * channels) {
      throw new DataError(`decoded to ${info.channels} channels; expected ${channels}`);
    }
    return enlarge(data, info.width, info.height, format);
  } catch (error) {
    throw decodeError(error);
  }
}

/** Width, height and channels of an image as stored, after EXIF rotation, without decoding its pixels. */
export async function imageSize(
  image: StoredImage,
): Promise<{ width: number; height: number; channels: number }> {
  if (image.kind === 'pixels') return image;
  try {
    const { autoOrient, channels } = await open(image).metadata();
    return { ...autoOrient, channels };
  } catch (error) {
    throw decodeError(error);
  }
}

function open(image: StoredImage): Sharp {
  if (image.kind === 'encoded') {
    if (image.bytes.length === 0) throw new DataError('the image file is empty');
    // 'error': harmless oddities that decoders warn of do not cost an image; cut-off files do.
    return sharp(image.bytes, { failOn: 'error' });
  }
  const { width, height, channels } = image;
  return sharp(image.pixels, { raw: { width, height, channels } });
}

function decodeError(error: unknown): DataError {
  return error instanceof DataError
    ? error
    : new DataError(reasonOf(error).replace(/^Input buffer/, 'the file'));
}
