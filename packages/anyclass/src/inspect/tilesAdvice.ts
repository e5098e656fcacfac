// When images are much larger than the input of a network, small objects disappear; tiles keep them, at a cost.

import { imageSizeOf, knownInputSize } from '../configuration/inputSize.js';
import type { Configuration } from '../configuration/schema.js';
import { counted } from '../errors/counted.js';
import { type Tiling, tileStarts } from '../networks/layers/tiles.js';

/** Images that are larger than the input by this factor lose what may matter. */
const muchLarger = 4;

/** Images that are larger by this factor show objects that are known to be lost. */
const larger = 2;

/** Positions of the last map that the side of a typical object should cover. */
const positionsPerObject = 2;

export interface TilesAdvice {
  readonly tiles: Tiling;
  /** Whether objects are known to need them; otherwise only the images' size suggests it. */
  readonly isNeeded: boolean;
  readonly reason: string;
}

/**
 * Returns tiles that keep small objects; undefined if images are not much larger than the input, or objects are
 * large enough there. Where objects are known to be too small, images twice as large as the input are cut.
 *
 * @param imageSide the shorter side of a typical image in pixels
 * @param sides sides of objects as shares of the image's, ascending, if known
 *
 * @example
 * tilesAdvice(3000, 224, 32)?.tiles // { imageSize: 896, overlap: 32, pool: 'noisy-or' }
 * tilesAdvice(3000, 224, 32, Float32Array.of(0.5)) // undefined: objects are large
 */
export function tilesAdvice(
  imageSide: number,
  inputSize: number,
  stride: number,
  sides?: Float32Array,
): TilesAdvice | undefined {
  const typical = sides?.[Math.floor(sides.length / 2)];
  if (imageSide < (typical === undefined ? muchLarger : larger) * inputSize) return undefined;
  if (typical !== undefined && typical * inputSize >= stride) return undefined;
  const wanted = typical === undefined ? muchLarger * inputSize : (positionsPerObject * stride) / typical;
  const most = Math.min(imageSide, 2 * muchLarger * inputSize);
  const imageSize = stride * Math.floor(Math.max(larger * inputSize, Math.min(wanted, most)) / stride);
  const overlap = stride * Math.max(1, Math.round(inputSize / 8 / stride));
  const tiles: Tiling = { imageSize, overlap, pool: 'noisy-or' };
  const count = tileStarts(inputSize, tiles).length ** 2;
  const cost = `${imageSize} px in ${counted(count, 'tile')} of ${inputSize} px, about ${count} times the cost`;
  const reason =
    typical === undefined
      ? `images of ${imageSide} px are shrunk to ${inputSize}; if what matters is small, cut them into tiles: network.tiles ${JSON.stringify(tiles)} keeps ${cost}`
      : `images of ${imageSide} px are cut into tiles, since half of the objects would be smaller than ${Math.max(1, Math.round(typical * inputSize))} px at ${inputSize} px: ${cost}`;
  return { tiles, isNeeded: typical !== undefined, reason };
}

/**
 * How training cuts images, and that it shrinks those that are much larger than what the network gets.
 *
 * @param imageSide the shorter side of a typical image in pixels; undefined for feature vectors
 *
 * @example
 * sizeRemarks(6000, { inputSize: 224 }) // ['images of 6000 px are shrunk to 224, 27 times: …']
 */
export function sizeRemarks(
  imageSide: number | undefined,
  network: Pick<Configuration['network'], 'inputSize' | 'tiles'>,
): string[] {
  if (imageSide === undefined) return [];
  const { tiles } = network;
  const [imageSize, inputSize] = [imageSizeOf(network), knownInputSize(network)];
  const shrinkage = imageSide / imageSize;
  const remedy = tiles
    ? 'a larger network.tiles.imageSize keeps more'
    : 'network.tiles, or a larger network.inputSize, keeps more';
  return [
    ...(tiles
      ? [
          `each image is brought to ${imageSize} px and cut into ${counted(tileStarts(inputSize, tiles).length ** 2, 'tile')} of ${inputSize} px`,
        ]
      : []),
    ...(shrinkage >= muchLarger
      ? [
          `images of ${imageSide} px are shrunk to ${imageSize}, ${Math.round(shrinkage)} times, so what has fewer pixels than that is lost; ${remedy}`,
        ]
      : []),
  ];
}
