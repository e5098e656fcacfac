import { nn, type Tensor } from '@anyclass/torch';

/**
 * Resizes learned vectors on a square grid, [cells, width], to a grid of another size: bicubic with aligned corners, as in
 * torchvision's ViT. The first `extra` rows, such as the class token's, do not change.
 *
 * @example
 * resizeGrid(positions, { cells: 64, extra: 1 }) // [197, 768] to [65, 768]
 */
export function resizeGrid(
  vectors: Tensor,
  { cells, extra = 0 }: { readonly cells: number; readonly extra?: number },
): Tensor {
  const [length = 0, width = 0] = vectors.shape;
  const [from, to] = [Math.sqrt(length - extra), Math.sqrt(cells)];
  if (!Number.isInteger(from) || !Number.isInteger(to)) {
    throw new RangeError(`${length - extra} and ${cells} cells are not both square grids`);
  }
  const grid = vectors
    .narrow(0, extra, length - extra)
    .view([1, from, from, width])
    .permute([0, 3, 1, 2]);
  const resized = nn.functional.upsampleBicubic2d(grid, [to, to], true).permute([0, 2, 3, 1]);
  const result = nn.functional.pad(resized.reshape([cells, width]), [0, 0, extra, 0]);
  if (extra > 0) result.narrow(0, 0, extra).copy_(vectors.narrow(0, 0, extra));
  return result;
}
