// Tests by betting (Waudby-Smith and Ramdas 2024; Ramdas et al. 2023). To test 'the rate of false alarms is at most r', bet on
//
//     W = 1 - r    an alarm that is truly negative
//     W = -r / q   a negative that did not alarm and was drawn, with probability q, to be labeled
//     W = 0        everything else
//
// If the claim is true, E[W] ≤ 0 whatever the share of negatives, so that the capital Π (1 + λ W) grows beyond 1 / δ with
// probability at most δ, at any time (Ville). The opposite claim, 'at least r', is tested with -W. The mean over several λ
// is a capital too: λ = c · min(1, q / r) for 24 values of c, from bold to careful.

/** The fractions that are bet, in geometric steps from 0.95 down to 0.001. */
export const FRACTIONS: readonly number[] = Array.from(
  { length: 24 },
  (_, k) => 0.95 * (0.001 / 0.95) ** (k / 23),
);

/** What is tested: that the rate is at most r, or at least r. */
export type Claim = 'at most' | 'at least';

/** What can be bet on: a false alarm, or a quiet negative that was drawn with probability q; and their like for positives. */
export type Observation = 'against' | 'other';

/** How often each was observed, for every q that was in use. */
export class Observations {
  readonly #counts = new Map<number, { against: number; other: number }>();

  add(observation: Observation, q: number): void {
    const counts = this.#counts.get(q) ?? { against: 0, other: 0 };
    counts[observation]++;
    this.#counts.set(q, counts);
  }

  entries(): Iterable<[q: number, counts: { readonly against: number; readonly other: number }]> {
    return this.#counts;
  }
}

/** What a fraction's capital is multiplied by, and the logarithm of that. */
export interface Gains {
  readonly factors: Float64Array;
  readonly logs: Float64Array;
}

// Capitals are products, which is fast, and computed anew from sums of logarithms before rounding errors can add up.
const REFRESH_EVERY = 256;

/** The capital that is bet against one claim, after any number of observations. */
export class Bet {
  readonly rate: number;
  readonly #claim: Claim;
  readonly #logs = new Float64Array(FRACTIONS.length);
  readonly #capitals = new Float64Array(FRACTIONS.length).fill(1);
  readonly #gains = new Map<number, Readonly<Record<Observation, Gains>>>();
  #added = 0;

  /** Bets against the claim that the rate is at most (or at least) `rate`, as if from the first observation on. */
  constructor(claim: Claim, rate: number, observations: Observations = new Observations()) {
    this.rate = rate;
    this.#claim = claim;
    for (const [q, { against, other }] of observations.entries()) {
      const gains = this.gainsOf(q);
      for (let k = 0; k < FRACTIONS.length; k++) {
        this.#logs[k]! += against * gains.against.logs[k]! + other * gains.other.logs[k]!;
      }
    }
    this.#refresh();
  }

  add(observation: Observation, q: number): void {
    const { factors, logs } = this.gainsOf(q)[observation];
    for (let k = 0; k < FRACTIONS.length; k++) {
      this.#logs[k]! += logs[k]!;
      this.#capitals[k]! *= factors[k]!;
    }
    this.#added++;
    if (this.#added % REFRESH_EVERY === 0) this.#refresh();
  }

  /** The mean capital over all fractions. */
  get capital(): number {
    let sum = 0;
    for (let k = 0; k < FRACTIONS.length; k++) sum += this.#capitals[k]!;
    return Math.min(sum / FRACTIONS.length, Number.MAX_VALUE);
  }

  /** Returns what an observation does to each fraction's capital. */
  gainsOf(q: number): Readonly<Record<Observation, Gains>> {
    const known = this.#gains.get(q);
    if (known) return known;
    const gains = (w: number): Gains => {
      const logs = Float64Array.from(FRACTIONS, (fraction) => {
        const lambda = fraction * Math.min(1, q / this.rate);
        return Math.log1p(this.#claim === 'at most' ? lambda * w : -lambda * w);
      });
      return { logs, factors: logs.map(Math.exp) };
    };
    const both = { against: gains(1 - this.rate), other: gains(-this.rate / q) };
    this.#gains.set(q, both);
    return both;
  }

  #refresh(): void {
    for (let k = 0; k < FRACTIONS.length; k++) this.#capitals[k] = Math.exp(this.#logs[k]!);
  }
}
