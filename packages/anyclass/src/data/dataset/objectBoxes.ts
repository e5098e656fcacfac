import { growingFloat32, growingInt32 } from './typedArrays.js';

/** Where an object is, in shares of the image's width and height. */
export interface ObjectBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The boxes of annotated objects, one entry per object with a known box. */
export interface ObjectBoxes {
  /** The image of each object. */
  readonly rows: Int32Array;
  readonly classes: Int32Array;
  /**
   * The side of a square as large as the object's box in an image of side 1. Images are resized to a square, so at an
   * input of 224 px, 0.1 is 22.4 px.
   */
  readonly sides: Float32Array;
  /** Four numbers per object: left, top, width and height. */
  readonly places: Float32Array;
}

/** Collects objects one after another. */
export interface ObjectBoxesBuilder {
  /** An object without a box of positive size is left out. */
  add(row: number, classIndex: number, box: ObjectBox): void;
  /** Undefined if no object has a box. */
  finish(): ObjectBoxes | undefined;
}

/**
 * Creates an empty builder.
 *
 * @example
 * const objects = objectBoxesBuilder();
 * objects.add(0, 2, { left: 0.1, top: 0, width: 0.5, height: 0.125 });
 * objects.finish()?.sides // Float32Array [0.25]
 */
export function objectBoxesBuilder(): ObjectBoxesBuilder {
  const rows = growingInt32();
  const classes = growingInt32();
  const sides = growingFloat32();
  const places = growingFloat32();
  return {
    add(row, classIndex, { left, top, width, height }) {
      const side = Math.sqrt(Math.min(1, width) * Math.min(1, height));
      if (!(side > 0 && Number.isFinite(left) && Number.isFinite(top))) return;
      rows.push(row);
      classes.push(classIndex);
      sides.push(side);
      for (const number of [left, top, width, height]) places.push(number);
    },
    finish: () =>
      rows.length === 0
        ? undefined
        : {
            rows: rows.finish(),
            classes: classes.finish(),
            sides: sides.finish(),
            places: places.finish(),
          },
  };
}

/**
 * Keeps the objects of some classes, renumbered in the given order.
 *
 * @example
 * selectObjects(objects, [3, 1]) // those of classes 3 and 1, which become 0 and 1
 */
export function selectObjects(objects: ObjectBoxes, kept: readonly number[]): ObjectBoxes {
  const placeOf = new Map(kept.map((classIndex, place) => [classIndex, place]));
  const isKept = (i: number) => placeOf.has(objects.classes[i]!);
  return {
    rows: objects.rows.filter((_, i) => isKept(i)),
    classes: objects.classes.filter((_, i) => isKept(i)).map((classIndex) => placeOf.get(classIndex)!),
    sides: objects.sides.filter((_, i) => isKept(i)),
    places: objects.places.filter((_, at) => isKept(Math.floor(at / 4))),
  };
}
