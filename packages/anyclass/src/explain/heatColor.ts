/**
 * From transparent blue to nearly opaque yellow, as on the exported web page; brightness rises too, so that a map reads without color.
 */
const stops = [
  [40, 60, 160, 0],
  [150, 40, 140, 110],
  [235, 90, 60, 160],
  [255, 225, 90, 190],
] as const;

/**
 * Returns red, green, blue and opacity, each 0 to 255, of a value from 0 to 1.
 *
 * @example
 * heatColor(1) // [255, 225, 90, 190]
 */
export function heatColor(value: number): readonly number[] {
  const position = Math.min(1, Math.max(0, value)) * (stops.length - 1);
  const before = Math.min(stops.length - 2, Math.floor(position));
  const [from, to] = [stops[before]!, stops[before + 1]!];
  return from.map((start, c) => Math.round(start + (to[c]! - start) * (position - before)));
}
