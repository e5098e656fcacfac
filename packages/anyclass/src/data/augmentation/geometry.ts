// Crops, rotations, zooms and flips as one affine map, so that an image is interpolated once. Torchvision's formulas for
// tensors, applied from the last step back to the first.

import type { Affine, Box, Size } from './changes.js';

export interface Movement {
  /** The part of the image that is stretched to the result. */
  readonly part: Box;
  /** Degrees, counterclockwise, about the center of the result. */
  readonly angle?: number;
  /** Above 1, the center is magnified. */
  readonly zoom?: number;
  readonly isMirrored?: boolean;
  /** Upside down. */
  readonly isFlipped?: boolean;
}

/**
 * The map from the result's pixels to the image's: as if the part were cut out, resized without antialiasing, turned
 * and zoomed, then flipped.
 *
 * @example
 * positionMap({ part: { top: 0, left: 0, width: 2, height: 2 }, isMirrored: true }, { width: 2, height: 2 }) // [-1, 0, 1, 0, 1, 0]
 */
export function positionMap(
  { part, angle = 0, zoom = 1, isMirrored = false, isFlipped = false }: Movement,
  { width, height }: Size,
): Affine {
  const radians = (angle * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(radians) / zoom, Math.sin(radians) / zoom];
  const [centerX, centerY] = [(width - 1) / 2, (height - 1) / 2];
  const [byColumn, byRow] = [isMirrored ? -1 : 1, isFlipped ? -1 : 1];
  // Pixel centers: (x + 1/2) · part / whole - 1/2 within the part.
  const [stretchX, stretchY] = [part.width / width, part.height / height];
  const xx = cosine * byColumn * stretchX;
  const xy = -sine * byRow * stretchX;
  const yx = sine * byColumn * stretchY;
  const yy = cosine * byRow * stretchY;
  return [
    xx,
    xy,
    (centerX + 0.5) * stretchX - 0.5 + part.left - xx * centerX - xy * centerY,
    yx,
    yy,
    (centerY + 0.5) * stretchY - 0.5 + part.top - yx * centerX - yy * centerY,
  ];
}
