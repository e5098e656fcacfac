// Which trials continue: asynchronous successive halving.
// Li et al., "A System for Massively Parallel Hyperparameter Tuning" (ASHA), arXiv 1810.05934.
// This is the stopping variant (as in Ray Tune and Optuna): when a trial reaches a rung, it is compared with
// those that reached it before, and continues or stops. The paper's own variant pauses trials and resumes
// them later, which would load the data and the network again at every rung.

export interface Halving {
  /** η: of the trials at a rung, one in this many continues. */
  readonly eta: number;
  /** The epoch of the first rung. */
  readonly minEpochs: number;
}

/**
 * Returns the epochs after which trials are compared; the last epoch is not among them.
 *
 * @example
 * rungs({ eta: 3, minEpochs: 1 }, 40) // [1, 3, 9, 27]
 */
export function rungs({ eta, minEpochs }: Halving, epochs: number): number[] {
  const result: number[] = [];
  for (let rung = minEpochs; rung < epochs; rung *= eta) result.push(rung);
  return result;
}

/**
 * The default first rung: after warm-up, but early enough that three more can follow with η = 3.
 *
 * @example
 * defaultMinEpochs({ epochs: 90, schedule: { warmUpEpochs: 5 } }) // 8: the rungs are 8, 24 and 72
 */
export function defaultMinEpochs({
  epochs,
  schedule: { warmUpEpochs },
}: {
  readonly epochs: number;
  readonly schedule: { readonly warmUpEpochs: number };
}): number {
  return warmUpEpochs + Math.max(1, Math.floor(epochs / 27));
}

/**
 * Whether a trial stops at a rung, because it is not among the best 1/η of all that reached it, itself
 * included. The best trial never stops, nor does one that ties with it. Higher scores are better; null is the
 * worst.
 *
 * @example
 * endsAtRung(0.4, [0.5, 0.3, 0.2, 0.6, 0.1], 3) // true: two of six continue, and this is the third
 */
export function endsAtRung(score: number | null, others: readonly (number | null)[], eta: number): boolean {
  const goOn = Math.max(1, Math.floor((others.length + 1) / eta));
  const rank = (value: number | null) => value ?? Number.NEGATIVE_INFINITY;
  return others.filter((other) => rank(other) > rank(score)).length >= goOn;
}
