// Whether presence scores still look like those of validation: a conformal test martingale. Vovk et al., "Retrain or Not
// Retrain: Conformal Test Martingales for Change-Point Detection", 2021. It knows nothing of labels, and a change of
// prevalence moves it too, so it is a hint and never an alert.

import { NumpyRandom } from '../random/numpyRandom.js';

/** What presence scores say about drift. */
export interface PresenceDrift {
  /** The capital that was bet against 'the scores come from where validation's came from'; next, its highest value. */
  readonly capital: number;
  readonly highest: number;
  /** The place, from 0, of the first score at which the capital reached 100; null if it never did. */
  readonly hintedAt: number | null;
}

/** While nothing changes, the capital reaches this with a probability of 1%. */
const HINT_FROM = 100;
const JUMPS = 0.01;
const SLOPES = [-1, 0, 1] as const;

/**
 * Bets that new presence scores rank unlike validation's. Each score is ranked among validation's scores and the new ones
 * before it; while all come from one source, its rank is uniform and independent of the others. The bets are those of the
 * 'simple jumper', which switches between betting on higher, lower and unchanged ranks. Ties are broken at random, seeded.
 *
 * @example
 * presenceDrift(validationPresence, newPresence).hintedAt // 412, or null
 */
export function presenceDrift(reference: Float64Array, scores: Float64Array, seed = 0): PresenceDrift {
  const random = new NumpyRandom(seed);
  const ranks = new RankCounter(reference, scores);
  const capitals = Float64Array.from(SLOPES, () => 1 / SLOPES.length);
  let [capital, highest] = [1, 1];
  let hintedAt: number | null = null;
  scores.forEach((score, k) => {
    const { below, equal, total } = ranks.count(score);
    const position = (below + random.random() * (equal + 1)) / (total + 1);
    ranks.add(score);
    let sum = 0;
    for (let s = 0; s < SLOPES.length; s++) {
      const mixed = (1 - JUMPS) * capitals[s]! + (JUMPS * capital) / SLOPES.length;
      capitals[s] = mixed * (1 + SLOPES[s]! * (position - 0.5));
      sum += capitals[s]!;
    }
    capital = sum;
    highest = Math.max(highest, capital);
    if (hintedAt === null && capital >= HINT_FROM) hintedAt = k;
  });
  return { capital, highest, hintedAt };
}

/** Counts how many of the scores seen so far are below or equal to one: a Fenwick tree over all distinct scores. */
class RankCounter {
  readonly #values: Float64Array;
  readonly #tree: Uint32Array;
  #total = 0;

  constructor(reference: Float64Array, scores: Float64Array) {
    const all = new Float64Array(reference.length + scores.length);
    all.set(reference);
    all.set(scores, reference.length);
    const nan = all.findIndex(Number.isNaN);
    if (nan >= 0) throw new RangeError(`score ${nan} is NaN; expected a number`);
    all.sort();
    this.#values = all.filter((value, k) => k === 0 || value !== all[k - 1]);
    this.#tree = new Uint32Array(this.#values.length + 1);
    for (const value of reference) this.add(value);
  }

  add(value: number): void {
    for (let i = this.#place(value) + 1; i < this.#tree.length; i += i & -i) this.#tree[i]!++;
    this.#total++;
  }

  count(value: number): { below: number; equal: number; total: number } {
    const place = this.#place(value);
    const below = this.#upTo(place);
    return { below, equal: this.#upTo(place + 1) - below, total: this.#total };
  }

  /** The number of scores among the first `count` distinct ones. */
  #upTo(count: number): number {
    let sum = 0;
    for (let i = count; i > 0; i -= i & -i) sum += this.#tree[i]!;
    return sum;
  }

  #place(value: number): number {
    let [low, high] = [0, this.#values.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#values[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
