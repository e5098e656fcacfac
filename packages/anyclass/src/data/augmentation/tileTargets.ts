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
      const box = movedBox(object, imageSize, map);
      starts.forEach((top, i) => {
        starts.forEach((left, j) => {
          const at = start + (i * starts.length + j) * classes + object.classIndex;
          const seen = overlap(box, { left, top, right: left + size, bottom: top + size });
          if (seen <= 0) return;
          const enough = shownShare * Math.min(areaOf(box), size * size);
          // What another object of the class has made present stays so.
          if (seen >= enough) result[at] = target;
          else if (result[at] === 0) result[at] = Number.NaN;
        });
      });
    }
  }
  return result;
}

interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function areaOf({ left, top, right, bottom }: Edges): number {
  return (right - left) * (bottom - top);
}

function overlap(a: Edges, b: Edges): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/** The edges of an object in the augmented image, of a turned one those around it. Maps count from the center of the first pixel. */
function movedBox({ left, top, width, height }: TiledObject, image: Size, map: Affine | undefined): Edges {
  const [xs, ys] = [
    [left * image.width, (left + width) * image.width],
    [top * image.height, (top + height) * image.height],
  ] as const;
  if (!map) return { left: xs[0], right: xs[1], top: ys[0], bottom: ys[1] };
  const [xx, xy, x0, yx, yy, y0] = map;
  const determinant = xx * yy - xy * yx;
  const corners = xs.flatMap((x) =>
    ys.map((y) => {
      const [dx, dy] = [x - 0.5 - x0, y - 0.5 - y0];
      return [(yy * dx - xy * dy) / determinant + 0.5, (xx * dy - yx * dx) / determinant + 0.5] as const;
    }),
  );
  const [columns, rows] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return {
    left: Math.min(...columns),
    right: Math.max(...columns),
    top: Math.min(...rows),
    bottom: Math.max(...rows),
  };
}

function affineAt(changes: Float32Array, image: number): Affine {
  const [xx = 1, xy = 0, x0 = 0, yx = 0, yy = 1, y0 = 0] = changes.subarray(image * numbersPerImage);
  return [xx, xy, x0, yx, yy, y0];
}
