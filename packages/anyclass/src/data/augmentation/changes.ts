// What happens to the pixels of one image, and the numbers that tell native/augment.

/** A rectangle of whole pixels. */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Where a pixel of the result comes from: (x, y) shows (xx·x + xy·y + x0, yx·x + yy·y + y0), counted from
 * the center of the first pixel.
 */
export type Affine = readonly [xx: number, xy: number, x0: number, yx: number, yy: number, y0: number];

/** The kinds of color change, in the order of their codes from 1; native/augment/colorMath.h has the mathematics. */
export const colorKinds = ['brightness', 'contrast', 'saturation', 'hue'] as const;
export type ColorKind = (typeof colorKinds)[number];

export interface ColorChange {
  readonly kind: ColorKind;
  /** For hue, the shift in turns of the color wheel; otherwise 1 changes nothing. */
  readonly factor: number;
}

export interface ImageChanges {
  /** Positions in the image by positions in the result. */
  readonly map: Affine;
  /** The part of the image that is shown; the result is black beyond it. */
  readonly part: Box;
  readonly interpolation: 'nearest' | 'bilinear';
  /** In order; four at most, contrast at most once. */
  readonly colors: readonly ColorChange[];
  /** The standard deviation of a Gaussian blur, in pixels of the result; 10 at most. */
  readonly blur?: number | undefined;
  /** The quality of a JPEG whose artifacts the result gets, from 1 to 100. */
  readonly quality?: number | undefined;
  /** A part of the result that becomes 0 after normalization. */
  readonly erased?: Box | undefined;
}

const colors = 4;

const erasedAt = 11 + 2 * colors;
const filtersAt = erasedAt + 4;

/** The length of a row of `encodeChanges`: geometry, then color changes, the erased box, the blur and the quality. */
export const numbersPerImage = filtersAt + 2;

/**
 * The changes of a batch as `augmentImages` takes them, one row per image.
 *
 * @example
 * const unmoved = { map: [1, 0, 0, 0, 1, 0], part: { top: 0, left: 0, height: 2, width: 2 }, interpolation: 'nearest', colors: [] } as const;
 * encodeChanges([unmoved]).length // 25
 */
export function encodeChanges(images: readonly ImageChanges[]): Float32Array {
  const rows = new Float32Array(images.length * numbersPerImage);
  images.forEach(({ map, part, interpolation, colors, erased, blur = 0, quality = 0 }, i) => {
    const start = i * numbersPerImage;
    const { left, top, width, height } = part;
    rows.set([...map, left, top, left + width - 1, top + height - 1], start);
    rows[start + 10] = interpolation === 'nearest' ? 1 : 0;
    colors.forEach(({ kind, factor }, at) => {
      rows.set([1 + colorKinds.indexOf(kind), factor], start + 11 + 2 * at);
    });
    if (erased) {
      const { left, top, width, height } = erased;
      rows.set([left, top, left + width, top + height], start + erasedAt);
    }
    rows.set([blur, quality], start + filtersAt);
  });
  return rows;
}

/**
 * Whether any image of `encodeChanges` is blurred or compressed.
 *
 * @example
 * hasFilters(encodeChanges([{ ...unmoved, blur: 1.5 }])) // true
 */
export function hasFilters(rows: Float32Array): boolean {
  for (let at = filtersAt; at < rows.length; at += numbersPerImage) {
    if (rows[at] !== 0 || rows[at + 1] !== 0) return true;
  }
  return false;
}
