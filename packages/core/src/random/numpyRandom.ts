// numpy's legacy generator, numpy.random.RandomState. scikit-learn's splits are based on it, so the same seed must give
// the same numbers here. Source: numpy/random/mtrand.pyx and its bounded-integer code (numpy 1.24).

import { MersenneTwister } from './mersenneTwister.js';

/** Options of `NumpyRandom.choice`. */
export interface ChoiceOptions {
  /** Whether a number may be drawn twice; numpy's default is true. */
  readonly replace?: boolean;
  /** The probability of each number; uniform if left out. */
  readonly probabilities?: ArrayLike<number>;
}

/**
 * `numpy.random.RandomState(seed)`, bit for bit.
 *
 * @example
 * new NumpyRandom(42).permutation(10) // 8 1 5 0 7 2 9 4 3 6
 */
export class NumpyRandom {
  readonly #words: MersenneTwister;

  constructor(seed: number) {
    if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
      throw new RangeError(`seed is ${seed}; expected an integer between 0 and 4294967295`);
    }
    this.#words = new MersenneTwister(seed);
  }

  /**
   * Returns a uniform number in [0, 1) with 53 bits: `random_sample()`.
   *
   * @example
   * new NumpyRandom(42).random() // 0.3745401188473625
   */
  random(): number {
    const high = this.#words.next() >>> 5;
    const low = this.#words.next() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  /**
   * Returns a uniform integer in [0, count), by rejection on masked 32-bit words: `randint(count)`.
   *
   * @example
   * new NumpyRandom(42).integer(100) // 51
   */
  integer(count: number): number {
    if (!Number.isInteger(count) || count < 1 || count > 0x100000000) {
      throw new RangeError(`count is ${count}; expected an integer between 1 and 4294967296`);
    }
    return this.#upTo(count - 1);
  }

  /**
   * Shuffles in place, from the last element down: `shuffle(values)`.
   *
   * @example
   * const values = ['a', 'b', 'c', 'd'];
   * new NumpyRandom(1).shuffle(values); // values is now d, c, a, b
   */
  shuffle(values: { readonly length: number; [index: number]: unknown }): void {
    for (let i = values.length - 1; i > 0; i--) {
      const j = this.#upTo(i);
      const held = values[i];
      values[i] = values[j];
      values[j] = held;
    }
  }

  /**
   * Returns the numbers 0 to count-1 in random order: `permutation(count)`.
   *
   * @example
   * new NumpyRandom(0).permutation(4) // 2 3 1 0
   */
  permutation(count: number): Int32Array {
    if (!Number.isInteger(count) || count < 0 || count > 0x7fffffff) {
      throw new RangeError(`count is ${count}; expected an integer between 0 and 2147483647`);
    }
    const order = new Int32Array(count);
    for (let i = 0; i < count; i++) order[i] = i;
    this.shuffle(order);
    return order;
  }

  /**
   * Draws `size` numbers from 0 to count-1: `choice(count, size, replace, p)`.
   *
   * @example
   * new NumpyRandom(42).choice(5, 3, { replace: false }) // 1 4 2
   */
  choice(count: number, size: number, options: ChoiceOptions = {}): Int32Array {
    const { replace = true, probabilities } = options;
    if (!Number.isInteger(size) || size < 0) {
      throw new RangeError(`size is ${size}; expected a non-negative integer`);
    }
    if (!replace && size > count) {
      throw new RangeError(`size is ${size}, but there are ${count} to choose from without replacement`);
    }
    if (probabilities === undefined) {
      if (!replace) return this.permutation(count).slice(0, size);
      const chosen = new Int32Array(size);
      for (let i = 0; i < size; i++) chosen[i] = this.integer(count);
      return chosen;
    }
    const weights = checkedProbabilities(probabilities, count, replace ? 0 : size);
    return replace ? this.#weighted(weights, size) : this.#weightedWithoutReplacement(weights, size);
  }

  /**
   * Draws as many items as there are, with replacement, and writes how often each was drawn: `bincount(choice(n, n), minlength=n)`.
   *
   * @example
   * const counts = new Uint16Array(5);
   * new NumpyRandom(42).countDraws(counts); // counts is now 0 0 1 1 3
   */
  countDraws(counts: Uint16Array): void {
    counts.fill(0);
    const largest = counts.length - 1;
    if (largest === 0) counts[0] = 1;
    if (largest <= 0) return;
    const mask = 0xffffffff >>> Math.clz32(largest);
    const source = this.#words;
    const { words } = source;
    // The words are read where they lie: drawing is a tenth of a bootstrap, and calls would double it.
    for (let left = counts.length; left > 0; ) {
      if (source.position === words.length) source.refill();
      let at = source.position;
      for (; at < words.length && left > 0; at++) {
        const item = (words[at]! & mask) >>> 0;
        if (item > largest) continue;
        counts[item] = counts[item]! + 1;
        left--;
      }
      source.position = at;
    }
  }

  #upTo(largest: number): number {
    if (largest === 0) return 0;
    const mask = 0xffffffff >>> Math.clz32(largest);
    for (;;) {
      const value = (this.#words.next() & mask) >>> 0;
      if (value <= largest) return value;
    }
  }

  #weighted(weights: Float64Array, size: number): Int32Array {
    const cumulative = cumulativeShares(weights);
    const chosen = new Int32Array(size);
    for (let i = 0; i < size; i++) chosen[i] = firstAbove(cumulative, this.random());
    return chosen;
  }

  // numpy draws as many as are missing, keeps the first of each number, and repeats without those already found.
  #weightedWithoutReplacement(weights: Float64Array, size: number): Int32Array {
    const found = new Set<number>();
    while (found.size < size) {
      for (const drawn of found) weights[drawn] = 0;
      for (const drawn of this.#weighted(weights, size - found.size)) found.add(drawn);
    }
    return Int32Array.from(found);
  }
}

function checkedProbabilities(probabilities: ArrayLike<number>, count: number, needed: number): Float64Array {
  if (probabilities.length !== count) {
    throw new RangeError(`probabilities has ${probabilities.length} entries for ${count} numbers`);
  }
  const weights = Float64Array.from(probabilities);
  let total = 0;
  let possible = 0;
  weights.forEach((weight, i) => {
    if (!(weight >= 0)) throw new RangeError(`probabilities[${i}] is ${weight}; expected at least 0`);
    total += weight;
    if (weight > 0) possible++;
  });
  if (Math.abs(total - 1) > 1e-8) throw new RangeError(`probabilities sum to ${total}; expected 1`);
  if (possible < needed) {
    throw new RangeError(`only ${possible} probabilities are above 0, too few to choose ${needed}`);
  }
  return weights;
}

function cumulativeShares(weights: Float64Array): Float64Array {
  const cumulative = new Float64Array(weights.length);
  let total = 0;
  for (let i = 0; i < weights.length; i++) {
    total += weights[i]!;
    cumulative[i] = total;
  }
  return cumulative.map((sum) => sum / total);
}

function firstAbove(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
