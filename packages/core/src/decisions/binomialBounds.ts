// Distribution-free bounds on a false-alarm rate from n independent negatives. Both of ours rest on one probability, that
// of at least k quiet negatives among n when each raises a false alarm with probability `rate`:
//
//     P(n, k, rate) = Σ_{j=k..n} C(n, j) (1 - rate)^j rate^(n-j)

/**
 * The Neyman-Pearson umbrella of Tong, Feng and Li (Science Advances 4, 2018): require a score strictly above the k-th
 * lowest of n negatives, k the smallest number with P(n, k, rate) ≤ δ. Then the share of new negatives that pass exceeds
 * `rate` with probability at most δ, whatever the distribution of the scores, ties among them included.
 *
 * @returns k, or null where n is too small for any: it needs n ≥ ln δ / ln(1 - rate)
 *
 * @example
 * quietRank(59, 0.05, 0.05) // 59: the gate must stop all of them
 * quietRank(58, 0.05, 0.05) // null
 * quietRank(1000, 0.05, 0.05) // 962
 */
export function quietRank(negatives: number, rate: number, delta: number): number | null {
  const keeps = (rank: number) => logQuietProbability(negatives, rank, rate) <= Math.log(delta);
  if (negatives === 0 || !keeps(negatives)) return null;
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
 * The smallest false-alarm rate that n negatives can promise: that of a gate which stops all of them.
 *
 * @example
 * smallestPromise(58, 0.05) // 0.050339…
 */
export function smallestPromise(negatives: number, delta: number): number {
  return negatives === 0 ? 1 : -Math.expm1(Math.log(delta) / negatives);
}

/**
 * The one-sided Clopper-Pearson upper bound: the rate at which so few false alarms, or fewer, would be seen with
 * probability 1 - confidence.
 *
 * @example
 * falseAlarmUpperBound(38, 805, 0.95) // 0.0614…
 */
export function falseAlarmUpperBound(falseAlarms: number, negatives: number, confidence: number): number {
  if (falseAlarms >= negatives) return 1;
  const target = Math.log(1 - confidence);
  let low = 0;
  let high = 1;
  // Each step halves the interval; 60 leave nothing that float64 could tell apart.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (logQuietProbability(negatives, negatives - falseAlarms, middle) > target) low = middle;
    else high = middle;
  }
  return high;
}

/** log P(n, k, rate): the term of n - k false alarms in logarithms, times the sum of the terms below it relative to it. */
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
    // Where terms fall, the rest is at most a geometric series; where they grow past all bounds, the probability is 1.
    if (relative < sum * 1e-17 || sum === Number.POSITIVE_INFINITY) break;
  }
  return Math.min(0, logTerm + Math.log(sum));
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** Stirling's series, exact to float64 from 16 up; below that the product. */
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
