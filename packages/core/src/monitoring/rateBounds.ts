import { Bet, type Claim, FRACTIONS, type Observation, Observations } from './bets.js';

/**
 * The end of a confidence sequence: the largest rate r for which 'at most r' was ever rejected, or the smallest for which 'at
 * least r' was. Capital falls (or rises) with r, observation by observation, so only the next rate needs to be followed.
 */
export class RateBound {
  readonly #claim: Claim;
  readonly #steps: number;
  readonly #threshold: number;
  readonly #observations = new Observations();
  #next: number;
  #bet: Bet | undefined;

  /** @param steps the number of steps from 0 to 1 */
  constructor(claim: Claim, steps: number, threshold: number) {
    this.#claim = claim;
    this.#steps = steps;
    this.#threshold = threshold;
    this.#next = claim === 'at most' ? 1 : steps - 1;
    this.#bet = new Bet(claim, this.#next / steps);
  }

  add(observation: Observation, q: number): void {
    this.#observations.add(observation, q);
    this.#bet?.add(observation, q);
    while (this.#bet && this.#bet.capital >= this.#threshold) {
      this.#next += this.#claim === 'at most' ? 1 : -1;
      const isInside = this.#next > 0 && this.#next < this.#steps;
      this.#bet = isInside ? new Bet(this.#claim, this.#next / this.#steps, this.#observations) : undefined;
    }
  }

  /** The bound: 0 or 1 if no rate was rejected. */
  get value(): number {
    const last = this.#claim === 'at most' ? this.#next - 1 : this.#next + 1;
    return last / this.#steps;
  }
}

/** The end of the range of a rate after all of some observations, whatever their order; the steps are those of {@link RateBound}. */
export function boundAfter(
  observations: Observations,
  claim: Claim,
  steps: number,
  threshold: number,
): number {
  const isRejected = (step: number) => new Bet(claim, step / steps, observations).capital >= threshold;
  // Capital falls with the rate (or rises): the last rate that is rejected, counted from 0 (or from 1).
  let [rejected, kept] = [0, steps];
  while (kept - rejected > 1) {
    const middle = (rejected + kept) >> 1;
    if (isRejected(claim === 'at most' ? middle : steps - middle)) rejected = middle;
    else kept = middle;
  }
  return (claim === 'at most' ? rejected : steps - rejected) / steps;
}

/**
 * Returns an upper bound on a share, such as that of alarms, that holds at any time: from how often something was seen, and
 * how often not.
 */
export function shareUpperBound(seen: number, unseen: number, threshold: number): number {
  const isRejected = (rate: number) => {
    const gains = new Bet('at least', rate).gainsOf(1);
    let sum = 0;
    for (let k = 0; k < FRACTIONS.length; k++) {
      sum += Math.exp(seen * gains.against.logs[k]! + unseen * gains.other.logs[k]!);
    }
    return sum / FRACTIONS.length >= threshold;
  };
  let [low, high] = [0, 1];
  // Capital rises with the rate; 20 halvings resolve a millionth.
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (isRejected(middle)) high = middle;
    else low = middle;
  }
  return high;
}
