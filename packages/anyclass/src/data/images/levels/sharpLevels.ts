// Levels of PNG and TIFF with more than 8 bits per channel, read by sharp without changing their values.

import type { Metadata, Sharp } from 'sharp';
import { DataError } from '../../../errors/dataError.js';
import type { Levels, StoredValues } from './levels.js';

/** Whether a file's samples have more than 8 bits. */
export function isDeep({ depth }: Metadata): boolean {
  return depth !== undefined && depth !== 'uchar';
}

/**
 * The levels of an image opened by sharp, upright, with black behind transparent pixels.
 *
 * @example
 * await sharpLevels(sharp('scan.tif', { ignoreIcc: true }), await sharp('scan.tif').metadata())
 */
export async function sharpLevels(image: Sharp, { depth, channels }: Metadata): Promise<Levels> {
  const isColor = channels >= 3;
  const is16 = depth === 'ushort' || depth === 'short';
  if (isColor && !is16)
    throw new DataError(`color with samples of type ${depth} is not supported; store 16 bits`);
  // sharp computes in this color space; any other would scale the values.
  const space = is16 ? (isColor ? 'rgb16' : 'grey16') : 'b-w';
  // Without the shift, negative values would be clipped.
  const shift = depth === 'short' ? 0x8000 : 0;
  const shifted = shift === 0 ? image : image.linear(1, shift);
  const { data, info } = await shifted
    .autoOrient()
    .flatten({ background: '#000' })
    .pipelineColourspace(space)
    .toColourspace(space)
    .raw({ depth: is16 ? 'ushort' : 'float' })
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const values: StoredValues = is16
    ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2)
    : new Float32Array(data.buffer, data.byteOffset, data.length / 4);
  const found = values.length / (width * height);
  if (found !== 1 && found !== 3) throw new DataError(`has ${found} channels; expected 1 or 3`);
  return { width, height, channels: found, values, slope: 1, intercept: -shift };
}
