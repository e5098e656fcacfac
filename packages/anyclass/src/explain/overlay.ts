// Heat maps as pictures: over the image, with a scale below.

import { heatColor } from '@anyclass/kit';
import sharp, { type Sharp } from 'sharp';
import type { StoredImage } from '../data/dataset/imageSource.js';
import type { ImageReading } from '../data/dataset/reading/pixelFormat.js';
import { openImage } from '../data/images/decoding/decode.js';
import { drawNumber, numberHeight } from './digitFont.js';
import { type HeatMap, peakOf } from './heatMap.js';

/** An image's pixels for showing: 8-bit RGB, in its own proportions. */
export interface ShownImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

/**
 * Reads an image as people should see it: upright, with the model's window, at most `side` pixels wide and high.
 *
 * @example
 * await shownImage(await input.read(), { window: [0, 4095] }, 448)
 */
export async function shownImage(
  image: StoredImage,
  reading: ImageReading,
  side: number,
): Promise<ShownImage> {
  const opened = await openImage(image, reading);
  const upright = await opened
    .autoOrient()
    .flatten({ background: '#000' })
    .toColorspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { data, info } = await sharp(upright.data, { raw: upright.info })
    .resize(side, side, { fit: 'inside', kernel: 'linear' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
}

/**
 * Returns a map in colors with transparency, as PNG.
 *
 * @example
 * await heatPicture(map, { width: 160, height: 160 })
 */
export async function heatPicture(map: HeatMap, size: Size): Promise<Buffer> {
  return heatOf(map, size).png({ palette: false, compressionLevel: 9 }).toBuffer();
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function heatOf(map: HeatMap, { width, height }: Size): Sharp {
  const peak = peakOf(map);
  const cells = Buffer.alloc(4 * map.values.length);
  map.values.forEach((value, i) => {
    cells.set(heatColor(peak === 0 ? 0 : value / peak), 4 * i);
  });
  return sharp(cells, { raw: { width: map.columns, height: map.rows, channels: 4 } }).resize(width, height, {
    fit: 'fill',
    kernel: 'cubic',
  });
}

/**
 * Returns a map for a square thumbnail of an image of the given size, as a small data URL that a page stretches and smooths.
 *
 * @example
 * await heatThumbnail(map, { width: 640, height: 480 })
 */
export async function heatThumbnail(map: HeatMap, { width, height }: Size): Promise<string> {
  const side = 48;
  const scale = side / Math.max(width, height);
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  const square = await sharp(await heatPicture(map, size))
    .resize(side, side, { fit: 'contain', background: '#0000' })
    .webp({ quality: 60, alphaQuality: 60 })
    .toBuffer();
  return `data:image/webp;base64,${square.toString('base64')}`;
}

const scaleHeight = 22;

/**
 * Returns the image with a map over it, and below it the map's scale from 0 to its peak, as PNG.
 *
 * @example
 * writeFileSync('crack.png', await overlayPicture(shown, map));
 */
export async function overlayPicture(image: ShownImage, map: HeatMap): Promise<Buffer> {
  const { width, height, pixels } = image;
  const heat = await heatOf(map, image).raw().toBuffer();
  const scale = scaleStrip(width, peakOf(map));
  // sharp extends before it composites.
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .extend({ bottom: scaleHeight, background: '#000' })
    .composite([
      { input: heat, raw: { width, height, channels: 4 }, left: 0, top: 0 },
      { input: scale, raw: { width, height: scaleHeight, channels: 3 }, left: 0, top: height },
    ])
    .png()
    .toBuffer();
}

/** A bar of all colors on black, with 0 at its left and the peak at its right. */
function scaleStrip(width: number, peak: number): Buffer {
  const strip = Buffer.alloc(3 * width * scaleHeight);
  const zero = drawNumber('0');
  const most = drawNumber(peak === 0 ? '0' : peak.toPrecision(2));
  const [from, to] = [zero.width + 8, Math.max(zero.width + 9, width - most.width - 8)];
  for (let y = 7; y < scaleHeight - 7; y++) {
    for (let x = from; x < Math.min(to, width); x++) {
      const [red = 0, green = 0, blue = 0, opacity = 0] = heatColor((x - from) / (to - from));
      // Over mid-gray, like the middle of an image.
      strip.set(
        [red, green, blue].map((c) => (c * opacity + 96 * (255 - opacity)) / 255),
        3 * (y * width + x),
      );
    }
  }
  const write = ({ width: columns, isSet }: ReturnType<typeof drawNumber>, left: number) => {
    for (let y = 0; y < numberHeight; y++) {
      for (let x = 0; x < columns; x++) {
        const at = 3 * ((y + Math.floor((scaleHeight - numberHeight) / 2)) * width + left + x);
        if (isSet(x, y) && left + x < width) strip.fill(235, at, at + 3);
      }
    }
  };
  write(zero, 4);
  write(most, Math.max(0, width - most.width - 4));
  return strip;
}
