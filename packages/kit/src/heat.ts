// The colors of heat maps, the same on every page.

/** Place on the scale, red, green, blue and opacity from 0 to 255: from transparent over amber to crimson. */
export const heatStops = [
  [0, 85, 85, 85, 0],
  [0.35, 255, 176, 0, 102],
  [0.65, 255, 122, 0, 176],
  [1, 224, 0, 77, 208],
] as const;

/** What the values of class activation maps are. */
export const classActivationUnit = 'logit of the cell alone, without the bias';

/**
 * Returns red, green, blue and opacity, each 0 to 255, of a value from 0 to 1.
 *
 * @example
 * heatColor(1) // [224, 0, 77, 208]
 */
export function heatColor(value: number): readonly number[] {
  const place = Math.min(1, Math.max(0, value));
  const after = Math.max(
    1,
    heatStops.findIndex(([at]) => at >= place),
  );
  const [from, to] = [heatStops[after - 1]!, heatStops[after]!];
  const share = (place - from[0]) / (to[0] - from[0]);
  return [1, 2, 3, 4].map((c) => Math.round(from[c]! + (to[c]! - from[c]!) * share));
}

/** The scale from left to right, as a CSS background. */
export const heatGradient = `linear-gradient(90deg, ${heatStops
  .map(
    ([at, red, green, blue, opacity]) =>
      `rgb(${red} ${green} ${blue} / ${(opacity / 255).toFixed(2)}) ${100 * at}%`,
  )
  .join(', ')})`;
