// Lines of equal value by marching squares. The surfaces are smooth, so a grid three times as coarse as the pixels
// gives lines that the eye cannot tell from those of the full one, at a ninth of the cost.

const stride = 3;

/** Values row by row over a square of `steps` points a side. */
export interface Grid {
  readonly values: Float32Array;
  readonly steps: number;
}

/**
 * The segments of each level, as x1, y1, x2, y2 in steps of the grid. Levels rise.
 *
 * @example
 * contourSegments({ values: Float32Array.of(0, 1, 0, 1), steps: 2 }, [0.25]) // [[0.25, 0, 0.25, 1]]
 */
export function contourSegments({ values, steps }: Grid, levels: readonly number[]): number[][] {
  const segments = levels.map((): number[] => []);
  for (let y = 0; y < steps - 1; y += stride) {
    const above = Math.min(y + stride, steps - 1);
    let [lowerLeft, upperLeft] = [values[y * steps]!, values[above * steps]!];
    for (let x = 0; x < steps - 1; x += stride) {
      const right = Math.min(x + stride, steps - 1);
      const [lowerRight, upperRight] = [values[y * steps + right]!, values[above * steps + right]!];
      const least = Math.min(lowerLeft, lowerRight, upperLeft, upperRight);
      const most = Math.max(lowerLeft, lowerRight, upperLeft, upperRight);
      for (let n = 0; n < levels.length && levels[n]! <= most; n++) {
        if (levels[n]! <= least) continue;
        const cell = { x, y, right, above, lowerLeft, lowerRight, upperLeft, upperRight };
        addCellSegments(cell, levels[n]!, segments[n]!);
      }
      lowerLeft = lowerRight;
      upperLeft = upperRight;
    }
  }
  return segments;
}

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly above: number;
  readonly lowerLeft: number;
  readonly lowerRight: number;
  readonly upperLeft: number;
  readonly upperRight: number;
}

// Going round the cell, the sides that the level crosses; four of them at a saddle, where the mean of the corners
// decides which pairs belong together.
function addCellSegments(cell: Cell, level: number, segments: number[]): void {
  const { x, y, right, above, lowerLeft, lowerRight, upperLeft, upperRight } = cell;
  const start = segments.length;
  const between = (from: number, to: number, a: number, b: number) =>
    from + ((to - from) * (level - a)) / (b - a);
  if (lowerLeft < level !== lowerRight < level) segments.push(between(x, right, lowerLeft, lowerRight), y);
  if (lowerRight < level !== upperRight < level)
    segments.push(right, between(y, above, lowerRight, upperRight));
  if (upperLeft < level !== upperRight < level)
    segments.push(between(x, right, upperLeft, upperRight), above);
  if (lowerLeft < level !== upperLeft < level) segments.push(x, between(y, above, lowerLeft, upperLeft));
  if (segments.length - start < 8) return;
  const centre = (lowerLeft + lowerRight + upperLeft + upperRight) / 4;
  if (lowerLeft < level !== centre < level) segments.push(...segments.splice(start, 2));
}
