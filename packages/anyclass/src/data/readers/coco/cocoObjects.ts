// COCO's boxes, or those around its masks, and the sizes of its images, all optional: only labels are needed.

import { type ObjectBoxes, objectBoxesBuilder } from '../../dataset/objectBoxes.js';
import { boxAround, type PixelBox } from './cocoMasks.js';

/** The annotations of a file: rows and categories, and the boxes in pixels, four numbers each. */
export interface Annotations {
  readonly rows: Int32Array;
  readonly categories: Int32Array;
  readonly boxes: Float32Array;
}

/** The boxes of the objects of the classes that are kept. */
export function objectsOf(
  annotations: readonly Annotations[],
  sizes: readonly { readonly width: number; readonly height: number }[],
  classOf: ReadonlyMap<number, number>,
): ObjectBoxes | undefined {
  const objects = objectBoxesBuilder();
  for (const { rows, categories, boxes } of annotations) {
    rows.forEach((row, i) => {
      const index = classOf.get(categories[i]!);
      const { width, height } = sizes[row]!;
      if (index === undefined) return;
      objects.add(row, index, {
        left: boxes[4 * i]! / width,
        top: boxes[4 * i + 1]! / height,
        width: boxes[4 * i + 2]! / width,
        height: boxes[4 * i + 3]! / height,
      });
    });
  }
  return objects.finish();
}

/** The size of an image in pixels; NaN if the file does not give it. */
export function imageSizeIn(element: unknown): { readonly width: number; readonly height: number } {
  return { width: numberIn(element, 'width'), height: numberIn(element, 'height') };
}

/** An annotation's box in pixels, or the one around its mask; NaN if it has neither. */
export function boxIn(element: unknown): PixelBox {
  const box = property(element, 'bbox');
  const [left, top, width, height] =
    Array.isArray(box) && box.length > 0
      ? box.map(Number)
      : (boxAround(property(element, 'segmentation')) ?? []);
  return [left ?? Number.NaN, top ?? Number.NaN, width ?? Number.NaN, height ?? Number.NaN];
}

function numberIn(element: unknown, name: string): number {
  const value = property(element, name);
  return typeof value === 'number' ? value : Number.NaN;
}

function property(element: unknown, name: string): unknown {
  if (typeof element !== 'object' || element === null) return undefined;
  return Object.getOwnPropertyDescriptor(element, name)?.value;
}
