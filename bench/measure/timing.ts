// Timing of synchronous work, and medians.

/** The median time of one call in milliseconds, after warming up. */
export function medianTime(fn: () => void, { repeats = 20, warmUp = 3 } = {}): number {
  for (let i = 0; i < warmUp; i++) fn();
  const times = Array.from({ length: repeats }, () => {
    const start = performance.now();
    fn();
    return performance.now() - start;
  });
  return median(times);
}

/** The middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = ascending.length / 2;
  return (ascending[Math.ceil(middle) - 1]! + ascending[Math.floor(middle)]!) / 2;
}
