// Learned vectors on a square grid, [cells, width], resized to a grid of another size. Each way of resizing is a matrix along one
// axis of the grid, applied to both.

import { nn, type Tensor, tensor } from '@anyclass/torch';

export interface GridOptions {
  /** Cells of the new grid. */
  readonly cells: number;
  /** Rows before the grid, such as the class token's, which do not change. Default 0. */
  readonly extra?: number;
}

/**
 * Resizes bicubically with aligned corners, as torchvision's ViT does.
 *
 * @example
 * resizeGrid(positions, { cells: 64, extra: 1 }) // [197, 768] to [65, 768]
 */
export function resizeGrid(vectors: Tensor, options: GridOptions): Tensor {
  return resized(vectors, options, (grid, _, to) => {
    const map = grid.permute([2, 0, 1]).unsqueeze(0);
    return nn.functional.upsampleBicubic2d(map, [to, to], true).squeeze(0).permute([1, 2, 0]);
  });
}

/**
 * Resizes bicubically, with the kernel widened where the grid becomes smaller, as timm does with position embeddings.
 *
 * @example
 * timmGrid(positions, { cells: 64 }) // [196, 384] to [64, 384]
 */
export function timmGrid(vectors: Tensor, options: GridOptions): Tensor {
  return resized(vectors, options, (grid, from, to) => applied(smoothBicubic(from, to), grid));
}

/**
 * Resizes a table of offsets from 1 - side to side - 1, as timm does with relative positions: linearly, between places that move
 * apart geometrically from the center, so that near offsets keep their values.
 *
 * @example
 * timmOffsets(table, { cells: 49 }) // windows of 7 to windows of 4: [169, 3] to [49, 3]
 */
export function timmOffsets(vectors: Tensor, options: GridOptions): Tensor {
  return resized(vectors, options, (grid, from, to) => applied(geometricLinear(from, to), grid));
}

function resized(
  vectors: Tensor,
  { cells, extra = 0 }: GridOptions,
  resize: (grid: Tensor, from: number, to: number) => Tensor,
): Tensor {
  const [length = 0, width = 0] = vectors.shape;
  const [from, to] = [Math.sqrt(length - extra), Math.sqrt(cells)];
  if (!Number.isInteger(from) || !Number.isInteger(to)) {
    throw new RangeError(`${length - extra} and ${cells} cells are not both square grids`);
  }
  const grid = vectors.narrow(0, extra, length - extra).reshape([from, from, width]);
  const result = nn.functional.pad(resize(grid, from, to).reshape([cells, width]), [0, 0, extra, 0]);
  if (extra > 0) result.narrow(0, 0, extra).copy_(vectors.narrow(0, 0, extra));
  return result;
}

/** Applies a matrix [to, from] along both axes of a grid [from, from, width]. */
function applied(matrix: number[][], grid: Tensor): Tensor {
  const [from = 0, , width = 0] = grid.shape;
  const to = matrix.length;
  const weights = tensor(matrix).to(grid.dtype);
  const rows = weights.matmul(grid.reshape([from, from * width])).view([to, from, width]);
  return weights.matmul(rows);
}

/** PyTorch's bicubic kernel with antialiasing: a = -0.5, stretched by the ratio of the sizes if the result is smaller. */
function smoothBicubic(from: number, to: number): number[][] {
  const ratio = from / to;
  const stretch = Math.max(1, ratio);
  return Array.from({ length: to }, (_, i) => {
    const center = ratio * (i + 0.5);
    const first = Math.max(0, Math.trunc(center - 2 * stretch + 0.5));
    const last = Math.min(from, Math.trunc(center + 2 * stretch + 0.5));
    const row = Array.from({ length: from }, (_, j) =>
      j < first || j >= last ? 0 : cubic((j + 0.5 - center) / stretch),
    );
    const total = row.reduce((sum, weight) => sum + weight, 0);
    return row.map((weight) => weight / total);
  });
}

function cubic(x: number): number {
  const distance = Math.abs(x);
  if (distance < 1) return (1.5 * distance - 2.5) * distance ** 2 + 1;
  return distance < 2 ? -0.5 * (((distance - 5) * distance + 8) * distance - 4) : 0;
}

function geometricLinear(from: number, to: number): number[][] {
  const places = geometricPlaces(from, to);
  return Array.from({ length: to }, (_, i) => {
    const place = i - Math.floor(to / 2);
    const found = places.findIndex((other) => other >= place);
    const right = found < 0 ? from - 1 : found;
    const left = Math.max(0, right - 1);
    const [before, after] = [Math.max(0, place - places[left]!), Math.max(0, places[right]! - place)];
    const row = Array.from({ length: from }, () => 0);
    const gap = before + after;
    row[left] = (row[left] ?? 0) + (gap === 0 ? 0.5 : after / gap);
    row[right] = (row[right] ?? 0) + (gap === 0 ? 0.5 : before / gap);
    return row;
  });
}

/** The old grid's places in steps of the new one: 0 in the center, and distances that grow by a constant factor. */
function geometricPlaces(from: number, to: number): number[] {
  const [half, reach] = [Math.floor(from / 2), Math.floor(to / 2)];
  let [low, high, factor] = [1.01, 1.5, 1.5];
  while (high - low > 1e-6) {
    factor = (low + high) / 2;
    if ((1 - factor ** half) / (1 - factor) > reach) high = factor;
    else low = factor;
  }
  const distances: number[] = [];
  let distance = 1;
  for (let i = 0; i < half; i++) {
    distances.push(distance);
    distance += factor ** (i + 1);
  }
  return [...distances.map((one) => -one).reverse(), 0, ...distances];
}
