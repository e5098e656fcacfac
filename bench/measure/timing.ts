// Timing of synchronous work.

/** The median time of one call in milliseconds, after warming up. */
export function medianTime(fn: () => void, { repeats = 20, warmUp = 3 } = {}): number {
  for (let i = 0; i < warmUp; i++) fn();
  const times = Array.from({ length: repeats }, () => {
    const start = performance.now();
    fn();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[Math.floor(repeats / 2)] ?? Number.NaN;
}
