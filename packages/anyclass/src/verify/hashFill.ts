// Weights that need no file: every value of a state dict is a hash of its name and index.

import { type nn, noGrad, type Tensor, tensor, tidy } from '@anyclass/torch';

export interface HashFillOptions {
  /** Varies all values; default 0. */
  readonly salt?: number;
  /** Negates one-dimensional `*weight` entries where the hash is below 0.3. */
  readonly negativeNormWeights?: boolean;
}

/**
 * Fills every floating-point parameter and buffer with hashes of its name, rounded to float32 whatever its
 * type.
 *
 * @example
 * fillByHash(network); // the weights that the golden values of networks were computed with
 */
export function fillByHash(network: nn.Module, options: HashFillOptions = {}): void {
  for (const [name, entry] of network.stateDict()) {
    if (entry.dtype === 'int64') continue;
    tidy(() => noGrad(() => entry.copy_(hashedEntry(name, entry.shape, options))));
  }
}

/**
 * Returns the values of one entry of a state dict, in float32.
 *
 * @example
 * hashedEntry('fc.weight', [2, 512]) // near 0, with a deviation of 1/√512
 */
export function hashedEntry(
  name: string,
  shape: readonly number[],
  { salt, negativeNormWeights = false }: HashFillOptions = {},
): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  const values = hashUniform(name, count, salt);
  scale(values, name, shape, negativeNormWeights);
  return tensor(new Float32Array(values), { shape });
}

/**
 * Returns pixels in [-1, 1), the input of the golden values.
 *
 * @example
 * hashImages([3, 3, 224, 224])
 */
export function hashImages(shape: readonly number[], salt = 0): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return tensor(
    Float32Array.from(hashUniform('input', count, salt), (u) => 2 * u - 1),
    { shape },
  );
}

/**
 * Returns uniform numbers in [0, 1): FNV-1a of the name seeds an integer hash (the mixer of xxHash) of the
 * index.
 *
 * @example
 * hashUniform('input', 2) // [0.0902…, 0.2518…]
 */
export function hashUniform(name: string, count: number, salt = 0): Float64Array {
  const seed = fnv1a(name) ^ salt;
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let h = Math.imul(i + 1, 0x9e3779b1) ^ seed;
    h = Math.imul(h ^ (h >>> 15), 0x85ebca77);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae3d);
    values[i] = ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
  }
  return values;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}

function scale(values: Float64Array, name: string, shape: readonly number[], negative: boolean): void {
  if (shape.length >= 2) {
    const amplitude = 2 * Math.sqrt(3 / (values.length / (shape[0] ?? 1)));
    for (let i = 0; i < values.length; i++) values[i] = (values[i]! - 0.5) * amplitude;
  } else if (name.endsWith('running_var') || name.endsWith('weight')) {
    const flips = negative && name.endsWith('weight');
    for (let i = 0; i < values.length; i++) {
      const u = values[i]!;
      values[i] = flips && u < 0.3 ? -(0.5 + u) : 0.5 + u;
    }
  } else {
    for (let i = 0; i < values.length; i++) values[i] = (values[i]! - 0.5) * 0.2;
  }
}
