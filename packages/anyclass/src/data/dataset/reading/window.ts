/**
 * Which levels of an image with more than 8 bits become black and white; levels in
 * between become gray linearly.
 *
 * - `auto`: the file's own window (DICOM's window or VOI LUT), or else from the smallest to the largest level
 *   of each image, ignoring one pixel in 10,000 at either end, so that a few hot pixels don't matter;
 * - `percentiles`: from the 0.5th to the 99.5th percentile of each image; `{ percentiles: [1, 99] }` for others;
 * - `[low, high]`: the same levels for all images, after DICOM's rescale: Hounsfield units in CT.
 */
export type Window =
  | 'auto'
  | 'percentiles'
  | readonly [low: number, high: number]
  | { readonly percentiles: readonly [low: number, high: number] };

export const defaultWindow = 'auto' satisfies Window;

/** The percentiles that a window takes from each image; undefined if the window is the same for all. */
export function windowPercentiles(window: Window): readonly [number, number] | undefined {
  if (window === 'auto') return [0.01, 99.99];
  if (window === 'percentiles') return [0.5, 99.5];
  return 'percentiles' in window ? window.percentiles : undefined;
}

/**
 * A window in words, for logs and file names.
 *
 * @example
 * windowText([0, 4095]) // '0..4095'
 * windowText({ percentiles: [1, 99] }) // 'percentiles 1..99'
 */
export function windowText(window: Window): string {
  if (typeof window === 'string') return window;
  if ('percentiles' in window) return `percentiles ${window.percentiles.join('..')}`;
  return window.join('..');
}
