/**
 * Returns the quantile of sorted numbers, interpolated linearly (numpy's default).
 *
 * @param ascending sorted numbers, one or more
 *
 * @example
 * quantile(new Float64Array([1, 2, 3, 4]), 0.5) // 2.5
 */
export function quantile(ascending: Float64Array, share: number): number {
  const position = share * (ascending.length - 1);
  const below = Math.floor(position);
  const lower = ascending[below]!;
  const upper = ascending[Math.min(below + 1, ascending.length - 1)]!;
  return lower + (position - below) * (upper - lower);
}
