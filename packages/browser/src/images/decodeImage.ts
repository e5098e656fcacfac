import { bitmapStrips } from './bitmapStrips.js';
import type { Picture } from './filterPicture.js';
import { jpegComponents } from './jpegComponents.js';
import { jpegPlanes } from './jpegPlanes.js';
import { resizeJpeg } from './libjpeg.js';
import { resizeLikeLibvips } from './libvips.js';
import type { PixelFormat } from './pixelFormat.js';
import { turned } from './turn.js';

/**
 * Decodes an image file with the browser and resizes it as the package `anyclass` does in Node: without keeping the aspect
 * ratio, with EXIF rotation applied, colors in sRGB and transparency on black. Pixels match Node's, except that some differ
 * by one level.
 *
 * @throws Error if the browser cannot decode the file
 *
 * @example
 * (await decodeImage(file, { width: 224, height: 224, channels: 3 })).length // 150528
 */
export async function decodeImage(file: Blob, format: PixelFormat): Promise<Uint8Array> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (isDeepPng(bytes))
    throw new Error(
      'the image has 16 bits per channel, but browsers read only 8; convert it, or predict with Node',
    );
  const components = jpegComponents(bytes);
  const jpeg = components === 3 ? await jpegPlanes(bytes) : undefined;
  if (jpeg) {
    const { turn } = jpeg;
    const isTurned = turn.quarters % 2 === 1;
    const stored = isTurned ? { ...format, width: format.height, height: format.width } : format;
    return turned(resizeJpeg(jpeg, stored), turn, format);
  }
  const bitmap = await bitmapOf(file);
  try {
    return resized(bitmap, components, format);
  } finally {
    bitmap.close();
  }
}

/** Node maps 16 bits through a window of gray values; a browser would just drop the lower 8 bits. */
function isDeepPng(bytes: Uint8Array): boolean {
  const signature = [0x89, 0x50, 0x4e, 0x47];
  return signature.every((byte, i) => bytes[i] === byte) && bytes[24] === 16;
}

async function bitmapOf(file: Blob): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch (error) {
    const kind = file.type === '' ? '' : ` (${file.type})`;
    throw new Error(`this browser cannot decode the file${kind}; JPEG, PNG and WebP work everywhere`, {
      cause: error,
    });
  }
}

function resized(bitmap: ImageBitmap, components: number | undefined, format: PixelFormat): Uint8Array {
  const { width, height } = bitmap;
  const rgb: Picture = { width, height, channels: 3, strips: bitmapStrips(bitmap) };
  const pixelsPerSample = { across: 1, down: 1 } as const;
  if (components === 1) {
    const gray = { ...rgb, channels: 1, strips: firstChannels(rgb.strips), pixelsPerSample };
    const pixels = resizeJpeg({ width, height, planes: [gray] }, format);
    return format.channels === 1
      ? pixels
      : Uint8Array.from({ length: 3 * pixels.length }, (_, i) => pixels[Math.floor(i / 3)]!);
  }
  if (components === 3) return resizeJpeg({ width, height, planes: [{ ...rgb, pixelsPerSample }] }, format);
  return resizeLikeLibvips(rgb, format);
}

function* firstChannels(strips: Picture['strips']): Generator<Uint8Array> {
  for (const strip of strips) yield Uint8Array.from({ length: strip.length / 3 }, (_, i) => strip[3 * i]!);
}
