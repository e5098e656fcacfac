import { growingFloat32, growingInt32 } from './typedArrays.js';

/** The sizes of annotated objects, one entry per object with a known box. */
export interface ObjectSizes {
  /** The image of each object. */
  readonly rows: Int32Array;
  readonly classes: Int32Array;
  /**
   * The side of a square as large as the object's box in an image of side 1. Images are resized to a square, so at an
   * input of 224 px, 0.1 is 22.4 px.
   */
  readonly sides: Float32Array;
}

/** Collects objects one after another. */
export interface ObjectSizesBuilder {
  /** `width` and `height` are shares of the image's. An object without a box of positive size is left out. */
  add(row: number, classIndex: number, width: number, height: number): void;
  /** Undefined if no object has a box. */
  finish(): ObjectSizes | undefined;
}

/**
 * Creates an empty builder.
 *
 * @example
 * const objects = objectSizesBuilder();
 * objects.add(0, 2, 0.5, 0.125);
 * objects.finish()?.sides // Float32Array [0.25]
 */
export function objectSizesBuilder(): ObjectSizesBuilder {
  const rows = growingInt32();
  const classes = growingInt32();
  const sides = growingFloat32();
  return {
    add(row, classIndex, width, height) {
      const side = Math.sqrt(Math.min(1, width) * Math.min(1, height));
      if (!(side > 0)) return;
      rows.push(row);
      classes.push(classIndex);
      sides.push(side);
    },
    finish: () =>
      rows.length === 0
        ? undefined
        : { rows: rows.finish(), classes: classes.finish(), sides: sides.finish() },
  };
}

/**
 * Keeps the objects of some classes, renumbered in the given order.
 *
 * @example
 * selectObjects(objects, [3, 1]) // those of classes 3 and 1, which become 0 and 1
 */
export function selectObjects(objects: ObjectSizes, kept: readonly number[]): ObjectSizes {
  const placeOf = new Map(kept.map((classIndex, place) => [classIndex, place]));
  const isKept = (i: number) => placeOf.has(objects.classes[i]!);
  return {
    rows: objects.rows.filter((_, i) => isKept(i)),
    classes: objects.classes.filter((_, i) => isKept(i)).map((classIndex) => placeOf.get(classIndex)!),
    sides: objects.sides.filter((_, i) => isKept(i)),
  };
}
