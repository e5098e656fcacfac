// How MaxViT and Swin divide a feature map into squares whose pixels attend to each other. Tu et al., "MaxViT", arXiv 2204.01697; Liu et al., "Swin
// Transformer", arXiv 2103.14030.

import type { Tensor } from '@anyclass/torch';

/** `window`: neighboring pixels attend to each other. `grid`: pixels spaced evenly over the whole map do. */
export type Axis = 'window' | 'grid';

export interface Squares {
  readonly axis: Axis;
  /** Side of a square in pixels. */
  readonly side: number;
  /** By how many pixels, fewer than it has, the map is rolled up and to the left before. */
  readonly shift?: number;
}

/**
 * Rearranges a map [batch, height, width, channels] into [squares, side², channels].
 *
 * @example
 * cutIntoSquares(zeros([2, 14, 14, 64]), { axis: 'grid', side: 7 }).shape // [8, 49, 64]
 */
export function cutIntoSquares(map: Tensor, squares: Squares): Tensor {
  const { factors, order } = layoutOf(map.shape, squares);
  const channels = map.shape.at(-1) ?? 0;
  return rolled(map, -(squares.shift ?? 0))
    .view(factors)
    .permute(order)
    .reshape([-1, squares.side ** 2, channels]);
}

/**
 * Rearranges squares into a map of this shape; the inverse of `cutIntoSquares`.
 *
 * @example
 * joinSquares(cutIntoSquares(map, squares), map.shape, squares) // map
 */
export function joinSquares(inSquares: Tensor, shape: readonly number[], squares: Squares): Tensor {
  const { factors, order, back } = layoutOf(shape, squares);
  const cut = inSquares.view(order.map((dimension) => factors[dimension] ?? 0));
  return rolled(cut.permute(back).reshape(shape), squares.shift ?? 0);
}

/**
 * Adds values in squares, [squares, side², channels], to a map. `change` is applied to the values before they are added,
 * with the batch as the first dimension. Rearranging them back into the map is part of the addition.
 *
 * @example
 * addSquares(map, cutIntoSquares(map, squares), squares, (x) => x.mul(-1)) // zeros
 */
export function addSquares(
  map: Tensor,
  inSquares: Tensor,
  squares: Squares,
  change: (addition: Tensor) => Tensor,
): Tensor {
  if (squares.shift) return map.add(change(joinSquares(inSquares, map.shape, squares)));
  const { factors, order, back } = layoutOf(map.shape, squares);
  const cut = inSquares.view(order.map((dimension) => factors[dimension] ?? 0));
  return map
    .view(factors)
    .add(change(cut.permute(back)))
    .view(map.shape);
}

function rolled(map: Tensor, pixels: number): Tensor {
  return pixels === 0 ? map : map.roll([pixels, pixels], [1, 2]);
}

// The map's height and width, each split into squares and pixels within a square. Which of the two comes first is the
// only difference between window and grid.
function layoutOf(shape: readonly number[], { axis, side }: Squares) {
  const [batch = 0, height = 0, width = 0, channels = 0] = shape;
  checkSquares(shape, side);
  const [rows, columns] = [height / side, width / side];
  return axis === 'window'
    ? {
        factors: [batch, rows, side, columns, side, channels],
        order: [0, 1, 3, 2, 4, 5],
        back: [0, 1, 3, 2, 4, 5],
      }
    : {
        factors: [batch, side, rows, side, columns, channels],
        order: [0, 2, 4, 1, 3, 5],
        back: [0, 3, 1, 4, 2, 5],
      };
}

/**
 * Throws if a map cannot be divided into squares.
 *
 * @example
 * checkSquares([1, 8, 8, 64], 7) // a feature map of 8x8 px cannot be divided into squares of 7x7
 */
export function checkSquares(shape: readonly number[], side: number): void {
  const [, height = 0, width = 0] = shape;
  if (height % side === 0 && width % side === 0) return;
  throw new RangeError(
    `a feature map of ${height}x${width} px cannot be divided into squares of ${side}x${side}`,
  );
}
