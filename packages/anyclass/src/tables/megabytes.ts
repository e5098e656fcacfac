/**
 * A number of bytes in megabytes, with at most one decimal.
 *
 * @example
 * megabytes(16_052_000) // '16.1 MB'
 */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
}
