/** A text that wants to stand at a height. */
export interface Label {
  readonly text: string;
  /** Pixels from the top. */
  readonly y: number;
}

/**
 * Moves labels apart, so that none covers another, and keeps them near their heights and within the chart.
 *
 * @returns the heights, in the order of the labels
 */
export function spreadLabels(labels: readonly Label[], height: number, gap = 14): number[] {
  const order = labels.map((_, i) => i).sort((a, b) => labels[a]!.y - labels[b]!.y);
  const places = order.map((i) => labels[i]!.y);
  for (let k = 1; k < places.length; k++) places[k] = Math.max(places[k]!, places[k - 1]! + gap);
  const last = places.length - 1;
  if (last >= 0 && places[last]! > height) places[last] = height;
  for (let k = last - 1; k >= 0; k--) places[k] = Math.min(places[k]!, places[k + 1]! - gap);
  const heights = new Array<number>(labels.length);
  order.forEach((i, k) => {
    heights[i] = places[k]!;
  });
  return heights;
}
