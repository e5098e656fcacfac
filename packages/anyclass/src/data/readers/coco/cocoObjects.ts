// The sizes of COCO's images and boxes, all optional: only labels are needed.

import { type ObjectSizes, objectSizesBuilder } from '../../dataset/objectSizes.js';

/** The annotations of a file: rows and categories, and the sizes of boxes in pixels. */
export interface Annotations {
  readonly rows: Int32Array;
  readonly categories: Int32Array;
  readonly widths: Float32Array;
  readonly heights: Float32Array;
}

/** The sizes of the objects of the classes that are kept. */
export function objectsOf(
  annotations: readonly Annotations[],
  sizes: readonly { readonly width: number; readonly height: number }[],
  classOf: ReadonlyMap<number, number>,
): ObjectSizes | undefined {
  const objects = objectSizesBuilder();
  for (const { rows, categories, widths, heights } of annotations) {
    rows.forEach((row, i) => {
      const index = classOf.get(categories[i]!);
      const { width, height } = sizes[row]!;
      if (index !== undefined) objects.add(row, index, widths[i]! / width, heights[i]! / height);
    });
  }
  return objects.finish();
}

/** The size of an image in pixels; NaN if the file does not give it. */
export function imageSizeIn(element: unknown): { readonly width: number; readonly height: number } {
  return { width: numberIn(element, 'width'), height: numberIn(element, 'height') };
}

/** The size of an annotation's box in pixels; NaN if it has none. */
export function boxSizeIn(element: unknown): { readonly width: number; readonly height: number } {
  const box = property(element, 'bbox');
  const [, , width, height] = Array.isArray(box) ? box.map(Number) : [];
  return { width: width ?? Number.NaN, height: height ?? Number.NaN };
}

function numberIn(element: unknown, name: string): number {
  const value = property(element, name);
  return typeof value === 'number' ? value : Number.NaN;
}

function property(element: unknown, name: string): unknown {
  if (typeof element !== 'object' || element === null) return undefined;
  return Object.getOwnPropertyDescriptor(element, name)?.value;
}
