// Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
// generator", ACM TOMACS 8 (1998). Seeded by init_genrand, as numpy's RandomState(integer) does.

const STATE_WORDS = 624;
const SHIFT_WORDS = 397;
const UPPER_BIT = 0x80000000;
const LOWER_BITS = 0x7fffffff;
const TWIST = 0x9908b0df;

/**
 * MT19937: a source of uniform 32-bit words, made a block at a time.
 *
 * @example
 * new MersenneTwister(5489).next() // 3499211612
 */
export class MersenneTwister {
  /** The current block; those before `position` are used up. */
  readonly words = new Uint32Array(STATE_WORDS);
  position = STATE_WORDS;
  readonly #state = new Int32Array(STATE_WORDS);

  constructor(seed: number) {
    const state = this.#state;
    state[0] = seed | 0;
    for (let i = 1; i < STATE_WORDS; i++) {
      const previous = state[i - 1]!;
      state[i] = (Math.imul(1812433253, previous ^ (previous >>> 30)) + i) | 0;
    }
  }

  /** Returns the next word. */
  next(): number {
    if (this.position === STATE_WORDS) this.refill();
    return this.words[this.position++]!;
  }

  /** Makes the next block. */
  refill(): void {
    const { words } = this;
    const state = this.#state;
    twist(state);
    for (let i = 0; i < STATE_WORDS; i++) {
      let word = state[i]!;
      word ^= word >>> 11;
      word ^= (word << 7) & 0x9d2c5680;
      word ^= (word << 15) & 0xefc60000;
      words[i] = word ^ (word >>> 18);
    }
    this.position = 0;
  }
}

function twist(state: Int32Array): void {
  const turn = STATE_WORDS - SHIFT_WORDS;
  for (let i = 0; i < turn; i++) state[i] = twisted(state[i]!, state[i + 1]!, state[i + SHIFT_WORDS]!);
  for (let i = turn; i < STATE_WORDS - 1; i++) state[i] = twisted(state[i]!, state[i + 1]!, state[i - turn]!);
  const last = STATE_WORDS - 1;
  state[last] = twisted(state[last]!, state[0]!, state[last - turn]!);
}

function twisted(word: number, next: number, shifted: number): number {
  const joined = (word & UPPER_BIT) | (next & LOWER_BITS);
  return shifted ^ (joined >>> 1) ^ (-(joined & 1) & TWIST);
}
