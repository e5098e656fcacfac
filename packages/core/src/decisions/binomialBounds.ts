// Distribution-free bounds on a false-alarm rate from n independent negatives. Both bounds here are based on the
// probability of at least k quiet negatives among n if each raises a false alarm with probability `rate`:
//
//     P(n, k, rate) = Σ_{j=k..n} C(n, j) (1 - rate)^j rate^(n-j)

/**
 * The Neyman-Pearson umbrella algorithm of Tong, Feng and Li (Science Advances 4, 2018): require a score strictly above
 * the k-th lowest of n negatives, with k the smallest number such that P(n, k, rate) ≤ δ. Then the share of new negatives
 * that pass exceeds `rate` with probability at most δ, whatever the distribution of the scores, including ties.
 *
 * @returns k, or null if n is too small for any k; n must be at least ln δ / ln(1 - rate)
 *
 * @example
 * quietRank(59, 0.05, 0.05) // 59: the gate must stop all of them
 * quietRank(58, 0.05, 0.05) // null
 * quietRank(1000, 0.05, 0.05) // 962
 */
export function quietRank(negatives: number, rate: number, delta: number): number | null {
  if (!isEnough(negatives, rate, delta)) return null;
  const keeps = (rank: number) => isKept(logQuietProbability(negatives, rank, rate), delta);
  let low = 0;
  let high = negatives;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (keeps(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * Returns the smallest false-alarm rate that n negatives can guarantee: that of a gate that stops all of them.
 *
 * @example
 * smallestPromise(58, 0.05) // 0.050339…
 */
export function smallestPromise(negatives: number, delta: number): number {
  return negatives === 0 ? 1 : -Math.expm1(Math.log(delta) / negatives);
}

/**
 * Returns how many instances a promise needs: ln δ / ln(1 - rate), rounded up.
 *
 * @example
 * [0.05, 0.02, 0.01].map((rate) => instancesNeeded(rate, 0.05)) // 59 149 299
 */
export function instancesNeeded(rate: number, delta: number): number {
  if (!(rate > 0 && rate < 1)) throw new RangeError(`rate is ${rate}; expected a share between 0 and 1`);
  const estimate = Math.ceil(Math.log(delta) / Math.log1p(-rate));
  // The quotient may be rounded to the wrong side of an integer.
  return [estimate - 1, estimate].find((count) => isEnough(count, rate, delta)) ?? estimate + 1;
}

/** Whether a gate that stops all of these negatives keeps the rate. */
function isEnough(negatives: number, rate: number, delta: number): boolean {
  return negatives > 0 && isKept(logQuietProbability(negatives, negatives, rate), delta);
}

/** A rate that is just enough, such as that of smallestPromise, must not fail by the last bit of a logarithm. */
function isKept(logProbability: number, delta: number): boolean {
  return logProbability <= Math.log(delta) + 1e-9;
}

/**
 * Returns the one-sided Clopper-Pearson upper bound: the rate at which this many false alarms or fewer would be observed
 * with probability 1 - confidence.
 *
 * @example
 * falseAlarmUpperBound(38, 805, 0.95) // 0.0614…
 */
export function falseAlarmUpperBound(falseAlarms: number, negatives: number, confidence: number): number {
  if (falseAlarms >= negatives) return 1;
  const target = Math.log(1 - confidence);
  let low = 0;
  let high = 1;
  // Each step halves the interval; after 60, float64 cannot resolve it further.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (logQuietProbability(negatives, negatives - falseAlarms, middle) > target) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns log P(n, k, rate): the log of the term with n - k false alarms, plus the log of the sum of terms relative to it. */
export function logQuietProbability(negatives: number, atLeastQuiet: number, rate: number): number {
  const mostAlarms = negatives - atLeastQuiet;
  if (mostAlarms >= negatives) return 0;
  if (rate <= 0) return 0;
  if (rate >= 1) return Number.NEGATIVE_INFINITY;
  const logTerm =
    logChoose(negatives, mostAlarms) + mostAlarms * Math.log(rate) + atLeastQuiet * Math.log1p(-rate);
  const odds = (1 - rate) / rate;
  let relative = 1;
  let sum = 1;
  for (let alarms = mostAlarms; alarms > 0; alarms--) {
    relative *= (alarms / (negatives - alarms + 1)) * odds;
    sum += relative;
    // If the terms decrease, the rest is at most a geometric series; if they grow without bound, the probability is 1.
    if (relative < sum * 1e-17 || sum === Number.POSITIVE_INFINITY) break;
  }
  return Math.min(0, logTerm + Math.log(sum));
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** Stirling's series, exact to float64 for n ≥ 16; below that, the product. */
function logFactorial(n: number): number {
  if (n < 16) {
    let product = 1;
    for (let factor = 2; factor <= n; factor++) product *= factor;
    return Math.log(product);
  }
  const inverse = 1 / n;
  const square = inverse * inverse;
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)));
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series;
}
