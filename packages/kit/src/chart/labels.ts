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
export function spreadLabels(labels: readonly Label[], height: number): number[] {
  const gap = 14;
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

/** A rectangle in pixels. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The narrowest width in pixels that a plot is drawn at: texts that do not touch there never do. */
export const narrowest = 270;

/**
 * Returns the index of the first box that overlaps no other; -1 if all do.
 *
 * @example
 * const box = { left: 0, right: 10, top: 0, bottom: 10 };
 * firstFree([box, { ...box, left: 20, right: 30 }], [box]) // 1
 */
export function firstFree(boxes: readonly Box[], others: readonly Box[]): number {
  return boxes.findIndex(({ left, right, top, bottom }) =>
    others.every(
      (other) => other.right <= left || other.left >= right || other.bottom <= top || other.top >= bottom,
    ),
  );
}

/** Returns boxes along a line, as thick as a stroke with a little air. */
export function boxesAlong(points: readonly (readonly [x: number, y: number])[]): Box[] {
  return points.slice(1).flatMap(([x, y], i) => {
    const [fromX, fromY] = points[i]!;
    const steps = Math.max(1, Math.ceil(Math.abs(x - fromX) / 6));
    return Array.from({ length: steps }, (_, k) => {
      const at = (share: number) => fromY + share * (y - fromY);
      const [a, b] = [at(k / steps), at((k + 1) / steps)];
      const left = fromX + (k / steps) * (x - fromX);
      return {
        left,
        right: left + (x - fromX) / steps,
        top: Math.min(a, b) - 3,
        bottom: Math.max(a, b) + 3,
      };
    });
  });
}
