// Philox4x32-10, a counter-based generator. Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (SC
// 2011). The words depend only on (key, counter), so that sample 70,000 of epoch 3 gets its random numbers
// without drawing those before it, in any thread, batch, or machine.

/** What a stream of random numbers is for; streams of different purposes are independent. */
export type RandomPurpose = keyof typeof purposeKeys;

const purposeKeys = {
  order: 1,
  augmentation: 2,
  digits: 3,
  subset: 4,
  sample: 5,
  mixing: 6,
  sampling: 7,
} as const;

/** A stream of random numbers; every method advances it. */
export interface RandomStream {
  /** An integer, 0 ≤ n < 2³². */
  uint32(): number;
  /** An integer, 0 ≤ n < `bound`, without bias. */
  below(bound: number): number;
  /** A multiple of 2⁻³², 0 ≤ u < 1: exact in a double, so the same on every machine. */
  uniform(): number;
}

/**
 * The random numbers for one purpose: a sample of an epoch, the order of an epoch, a scene of `digits`.
 *
 * @example
 * const stream = randomStream('augmentation', 7, 3, 70000); // seed 7, epoch 3, sample 70000
 * stream.uniform() < 0.5 // flip it?
 */
export function randomStream(
  purpose: RandomPurpose,
  seed: number,
  epoch: number,
  index: number,
): RandomStream {
  const words = new Uint32Array(4);
  let block = 0;
  let used = 4;
  const uint32 = () => {
    if (used === 4) {
      philox([index >>> 0, epoch >>> 0, block++, 0], [seed >>> 0, purposeKeys[purpose]], words);
      used = 0;
    }
    return words[used++]!;
  };
  return {
    uint32,
    below(bound) {
      // Draws at or above the largest multiple of the bound would favor small numbers, so they are redrawn.
      const limit = 2 ** 32 - (2 ** 32 % bound);
      let word = uint32();
      while (word >= limit) word = uint32();
      return word % bound;
    },
    uniform: () => uint32() / 2 ** 32,
  };
}

/**
 * Ten rounds of Philox4x32: 128 random bits for a counter under a key.
 *
 * @example
 * philox([0, 0, 0, 0], [0, 0], new Uint32Array(4)) // 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8
 */
export function philox(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
  out: Uint32Array,
): Uint32Array {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(0xd2511f53, c0);
    const low0 = Math.imul(0xd2511f53, c0) >>> 0;
    const high1 = multiplyHigh(0xcd9e8d57, c2);
    const low1 = Math.imul(0xcd9e8d57, c2) >>> 0;
    c0 = (high1 ^ c1 ^ k0) >>> 0;
    c1 = low1;
    c2 = (high0 ^ c3 ^ k1) >>> 0;
    c3 = low0;
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
  return out;
}

/** A random order of `rows`: Fisher-Yates over a copy. */
export function shuffled(rows: Int32Array, stream: RandomStream): Int32Array {
  const order = rows.slice();
  for (let i = order.length - 1; i > 0; i--) {
    const j = stream.below(i + 1);
    const row = order[i]!;
    order[i] = order[j]!;
    order[j] = row;
  }
  return order;
}

/** The upper 32 bits of a 32x32-bit product, from 16-bit halves since a double holds only 53 bits. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = (middle & 0xffff) + aLow * bHigh;
  return aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carry / 0x10000);
}
