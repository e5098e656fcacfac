// A few of many embeddings that are spread over all of them.

import { NumpyRandom } from '../random/numpyRandom.js';

/**
 * Chooses rows that are spread out: clusters the embeddings by k-means, as many clusters as rows are wanted, and takes from each the
 * row that comes first. Rows are given in order of preference.
 *
 * @param values embeddings of length 1, row by row
 *
 * @example
 * spreadRows(Float32Array.of(1, 0, 1, 0, 0, 1), 2, 2) // [0, 2]
 */
export function spreadRows(values: Float32Array, width: number, count: number, seed = 0): number[] {
  const rows = width === 0 ? 0 : values.length / width;
  if (rows <= count) return Array.from({ length: rows }, (_, row) => row);
  let centers = firstCenters(values, width, count, seed);
  let nearest: Int32Array = new Int32Array(rows);
  for (let round = 0; round < rounds; round++) {
    nearest = nearestCenters(values, width, centers);
    centers = meansOf(values, width, nearest, centers);
  }
  const first = new Map<number, number>();
  nearest.forEach((center, row) => {
    if (!first.has(center)) first.set(center, row);
  });
  const chosen = [...first.values()];
  // Clusters that lost all their rows: the next rows by preference.
  const isChosen = new Set(chosen);
  for (let row = 0; chosen.length < count; row++) if (!isChosen.has(row)) chosen.push(row);
  return chosen.slice(0, count).sort((a, b) => a - b);
}

const rounds = 5;

function firstCenters(values: Float32Array, width: number, count: number, seed: number): Float32Array {
  const rows = values.length / width;
  const order = new NumpyRandom(seed).permutation(rows);
  const centers = new Float32Array(count * width);
  for (let i = 0; i < count; i++)
    centers.set(values.subarray(order[i]! * width, (order[i]! + 1) * width), i * width);
  return centers;
}

/** The center with the largest product, which for embeddings and centers of length 1 is the nearest. */
function nearestCenters(values: Float32Array, width: number, centers: Float32Array): Int32Array {
  const rows = values.length / width;
  const nearest = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    let best = Number.NEGATIVE_INFINITY;
    for (let center = 0; center * width < centers.length; center++) {
      let product = 0;
      for (let k = 0; k < width; k++) product += values[row * width + k]! * centers[center * width + k]!;
      if (product <= best) continue;
      best = product;
      nearest[row] = center;
    }
  }
  return nearest;
}

/** The means of each center's rows, at length 1; a center without rows stays. */
function meansOf(
  values: Float32Array,
  width: number,
  nearest: Int32Array,
  before: Float32Array,
): Float32Array {
  const sums = new Float32Array(before.length);
  nearest.forEach((center, row) => {
    for (let k = 0; k < width; k++)
      sums[center * width + k] = sums[center * width + k]! + values[row * width + k]!;
  });
  for (let center = 0; center * width < sums.length; center++) {
    const own = sums.subarray(center * width, (center + 1) * width);
    let square = 0;
    for (const value of own) square += value * value;
    const length = Math.sqrt(square);
    if (length === 0) own.set(before.subarray(center * width, (center + 1) * width));
    else for (let k = 0; k < width; k++) own[k] = own[k]! / length;
  }
  return sums;
}
