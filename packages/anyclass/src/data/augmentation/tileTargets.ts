// The labels of tiles, from the boxes of objects: where they are after the image was moved, and which tiles show them.

import { type Affine, numbersPerImage, type Size } from './changes.js';

/** How images are cut into tiles, and what is known about their objects. */
export interface TileLabels {
  /** Where tiles begin along either side, in pixels of the augmented image. */
  readonly starts: readonly number[];
  /** Height and width of a tile. */
  readonly size: number;
  /** The objects of a dataset row: class, left, top, width and height, in shares of the image. */
  readonly objectsOf: (row: number) => readonly TiledObject[];
}

export interface TiledObject {
  readonly classIndex: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface TileTargetOptions {
  /** The dataset row of each image. */
  readonly indices: ArrayLike<number>;
  /** N x classes, of whole images. */
  readonly targets: Float32Array;
  readonly classes: number;
  /** From `drawChanges`; images are not moved if omitted. */
  readonly changes?: Float32Array | undefined;
  /** The size of the images before they are moved. */
  readonly imageSize: Size;
}

/** A tile shows an object with this share of the object or of the tile; with less, its label is unknown. */
const shownShare = 0.25;

/**
 * The targets of tiles, N x tiles x classes, row by row. A class that the image has is present in tiles that show one of its objects,
 * unknown in those that a box only grazes, and absent elsewhere. It is unknown in all if the image has no box of it, or if the image's
 * own label is unknown; what is absent from the image is absent from its tiles.
 *
 * @example
 * const labels = { starts: [0, 4], size: 4, objectsOf: () => [{ classIndex: 0, left: 0, top: 0, width: 0.25, height: 0.25 }] };
 * tileTargets(labels, { indices: [7], targets: Float32Array.of(1), classes: 1, imageSize: { width: 8, height: 8 } }) // [1, 0, 0, 0]
 */
export function tileTargets(
  { starts, size, objectsOf }: TileLabels,
  { indices, targets, classes, changes, imageSize }: TileTargetOptions,
): Float32Array {
  const tiles = starts.length ** 2;
  const result = new Float32Array(indices.length * tiles * classes);
  for (let image = 0; image < indices.length; image++) {
    const own = targets.subarray(image * classes, (image + 1) * classes);
    const start = image * tiles * classes;
    const objects = objectsOf(indices[image]!);
    const boxed = new Set(objects.map(({ classIndex }) => classIndex));
    own.forEach((target, c) => {
      const isUnplaced = Number.isNaN(target) || (target > 0 && !boxed.has(c));
      if (isUnplaced)
        for (let tile = 0; tile < tiles; tile++) result[start + tile * classes + c] = Number.NaN;
    });
    const map = changes && affineAt(changes, image);
    for (const object of objects) {
      const target = own[object.classIndex]!;
      if (!(target > 0)) continue;
      const corners = movedCorners(object, imageSize, map);
      const area = areaOf(corners);
      starts.forEach((top, i) => {
        starts.forEach((left, j) => {
          const at = start + (i * starts.length + j) * classes + object.classIndex;
          const seen = areaOf(within(corners, { left, top, size }));
          if (seen <= 0) return;
          const enough = shownShare * Math.min(area, size * size);
          // What another object of the class has made present stays so.
          if (seen >= enough) result[at] = target;
          else if (result[at] === 0) result[at] = Number.NaN;
        });
      });
    }
  }
  return result;
}

type Point = readonly [x: number, y: number];

/** The area of a polygon by its corners in order: the shoelace formula. */
function areaOf(corners: readonly Point[]): number {
  const twice = corners.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = corners[(i + 1) % corners.length]!;
    return sum + x * nextY - nextX * y;
  }, 0);
  return Math.abs(twice) / 2;
}

/** The part of a polygon in a square, cut off at one side after another: Sutherland and Hodgman. */
function within(
  corners: readonly Point[],
  { left, top, size }: { readonly left: number; readonly top: number; readonly size: number },
): readonly Point[] {
  const depths: ((point: Point) => number)[] = [
    ([x]) => x - left,
    ([x]) => left + size - x,
    ([, y]) => y - top,
    ([, y]) => top + size - y,
  ];
  return depths.reduce((rest, depth) => cutOff(rest, depth), corners);
}

/** The part of a polygon where a linear function is not negative. */
function cutOff(corners: readonly Point[], depth: (point: Point) => number): readonly Point[] {
  return corners.flatMap((from, i) => {
    const to = corners[(i + 1) % corners.length]!;
    const [own, next] = [depth(from), depth(to)];
    const kept = own >= 0 ? [from] : [];
    if (own >= 0 === next >= 0) return kept;
    const share = own / (own - next);
    return [...kept, [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])] as const];
  });
}

/** The corners of an object in the augmented image, in order. Maps count from the center of the first pixel. */
function movedCorners(
  { left, top, width, height }: TiledObject,
  image: Size,
  map: Affine | undefined,
): readonly Point[] {
  const [x0, x1] = [left * image.width, (left + width) * image.width];
  const [y0, y1] = [top * image.height, (top + height) * image.height];
  const corners = [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ] as const;
  if (!map) return corners;
  const [xx, xy, xShift, yx, yy, yShift] = map;
  const determinant = xx * yy - xy * yx;
  return corners.map(([x, y]) => {
    const [dx, dy] = [x - 0.5 - xShift, y - 0.5 - yShift];
    return [(yy * dx - xy * dy) / determinant + 0.5, (xx * dy - yx * dx) / determinant + 0.5] as const;
  });
}

function affineAt(changes: Float32Array, image: number): Affine {
  const [xx = 1, xy = 0, x0 = 0, yx = 0, yy = 1, y0 = 0] = changes.subarray(image * numbersPerImage);
  return [xx, xy, x0, yx, yy, y0];
}
