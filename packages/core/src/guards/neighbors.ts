// Distances to the training images, in a network's own features. Sun et al., "Out-of-Distribution Detection with Deep Nearest
// Neighbors", ICML 2022: the nearest of a few training embeddings tells images of another kind from usual ones. A sample of
// them, in 8 bits, travels with the model.

/** Embeddings of some training images, as text that fits into JSON. */
export interface Neighbors {
  /** Numbers per embedding. */
  readonly width: number;
  /** The mean of the training embeddings. */
  readonly mean: readonly number[];
  /** Embeddings less their mean, scaled to unit length: in 128ths, row by row, two hexadecimal digits each (80 is 0). */
  readonly vectors: string;
}

/** Bytes that the sample may take in a model file. */
const MOST_BYTES = 1 << 16;

/**
 * Keeps a sample of training embeddings, evenly spaced over the rows.
 *
 * @example
 * const neighbors = keepNeighbors(embeddings, 512); // up to 128 of them
 */
export function keepNeighbors(embeddings: Float32Array, width: number): Neighbors {
  const rows = embeddings.length / width;
  const kept = Math.min(rows, Math.max(16, Math.floor(MOST_BYTES / width)));
  const mean = new Float32Array(width);
  for (let row = 0; row < rows; row++)
    for (let j = 0; j < width; j++) mean[j] = mean[j]! + embeddings[row * width + j]! / rows;
  const rounded = Array.from(mean, (value) => Number(value.toPrecision(6)));
  let vectors = '';
  for (let k = 0; k < kept; k++) {
    const row = Math.floor((k * rows) / kept);
    for (const value of direction(embeddings.subarray(row * width, (row + 1) * width), rounded))
      vectors += Math.round(128 + 127 * value)
        .toString(16)
        .padStart(2, '0');
  }
  return { width, mean: rounded, vectors };
}

/**
 * Returns a function that measures how far an embedding is from the nearest kept one: 0 for the same direction from their mean,
 * 1 for a right angle.
 *
 * @example
 * distanceTo(neighbors)(embedding) // 0.31
 */
export function distanceTo({ width, mean, vectors: text }: Neighbors): (embedding: Float32Array) => number {
  const vectors = Int8Array.from(
    { length: text.length / 2 },
    (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16) - 128,
  );
  return (embedding) => {
    const unit = direction(embedding, mean);
    let nearest = -1;
    for (let at = 0; at < vectors.length; at += width) {
      let product = 0;
      for (let j = 0; j < width; j++) product += vectors[at + j]! * unit[j]!;
      if (product / 127 > nearest) nearest = product / 127;
    }
    return 1 - nearest;
  };
}

/** The unit vector from the mean to an embedding; zero if they are the same. */
function direction(embedding: Float32Array, mean: ArrayLike<number>): Float64Array {
  const difference = Float64Array.from(embedding, (value, j) => value - mean[j]!);
  const length = Math.sqrt(difference.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? difference : difference.map((value) => value / length);
}
