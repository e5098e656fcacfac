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
  /** Columns by which a row moves per row of its distance from the center, and rows per column. */
  readonly shear?: readonly [x: number, y: number];
  /** To the right and down, in shares of the result's sides. */
  readonly shift?: readonly [x: number, y: number];
  readonly isMirrored?: boolean;
  /** Upside down. */
  readonly isFlipped?: boolean;
}

/**
 * The map from the result's pixels to the image's: as if the part were cut out, resized without antialiasing, shifted
 * and sheared, turned and zoomed, then flipped.
 *
 * @example
 * positionMap({ part: { top: 0, left: 0, width: 2, height: 2 }, isMirrored: true }, { width: 2, height: 2 }) // [-1, 0, 1, 0, 1, 0]
 */
export function positionMap(
  {
    part,
    angle = 0,
    zoom = 1,
    shear = [0, 0],
    shift = [0, 0],
    isMirrored = false,
    isFlipped = false,
  }: Movement,
  { width, height }: Size,
): Affine {
  const radians = (angle * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(radians) / zoom, Math.sin(radians) / zoom];
  const [centerX, centerY] = [(width - 1) / 2, (height - 1) / 2];
  const [byColumn, byRow] = [isMirrored ? -1 : 1, isFlipped ? -1 : 1];
  // Pixel centers: (x + 1/2) · part / whole - 1/2 within the part.
  const [stretchX, stretchY] = [part.width / width, part.height / height];
  const [right, rightDown, downRight, down] = [
    cosine * byColumn,
    -sine * byRow,
    sine * byColumn,
    cosine * byRow,
  ];
  const xx = (right + shear[0] * downRight) * stretchX;
  const xy = (rightDown + shear[0] * down) * stretchX;
  const yx = (downRight + shear[1] * right) * stretchY;
  const yy = (down + shear[1] * rightDown) * stretchY;
  return [
    xx,
    xy,
    (centerX + 0.5 - shift[0] * width) * stretchX - 0.5 + part.left - xx * centerX - xy * centerY,
    yx,
    yy,
    (centerY + 0.5 - shift[1] * height) * stretchY - 0.5 + part.top - yx * centerX - yy * centerY,
  ];
}
