// Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
// generator", ACM TOMACS 8 (1998). Seeded by init_genrand, as numpy's RandomState(integer) does.

const STATE_WORDS = 624;
const SHIFT_WORDS = 397;
const UPPER_BIT = 0x80000000;
const LOWER_BITS = 0x7fffffff;
const TWIST = 0x9908b0df;

/** A source of uniform 32-bit words. */
export type WordSource = () => number;

/**
 * MT19937: returns a function that returns the next 32-bit word on each call.
 *
 * @example
 * const nextWord = mersenneTwister(5489);
 * nextWord() // 3499211612
 */
export function mersenneTwister(seed: number): WordSource {
  const state = new Int32Array(STATE_WORDS);
  state[0] = seed | 0;
  for (let i = 1; i < STATE_WORDS; i++) {
    const previous = state[i - 1]!;
    state[i] = (Math.imul(1812433253, previous ^ (previous >>> 30)) + i) | 0;
  }
  let position = STATE_WORDS;

  return () => {
    if (position === STATE_WORDS) {
      twist(state);
      position = 0;
    }
    let word = state[position++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };
}

function twist(state: Int32Array): void {
  for (let i = 0; i < STATE_WORDS; i++) {
    const joined = (state[i]! & UPPER_BIT) | (state[(i + 1) % STATE_WORDS]! & LOWER_BITS);
    const shifted = state[(i + SHIFT_WORDS) % STATE_WORDS]! ^ (joined >>> 1);
    state[i] = joined & 1 ? shifted ^ TWIST : shifted;
  }
}
