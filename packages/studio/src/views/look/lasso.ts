// Which points a drawn line surrounds.

export type Point = readonly [x: number, y: number];

/**
 * Whether a point is inside of a polygon: a ray from it crosses the edges an odd number of times.
 *
 * @example
 * isInside([0.5, 0.5], [[0, 0], [1, 0], [0, 1.5]]) // true
 */
export function isInside([x, y]: Point, polygon: readonly Point[]): boolean {
  let isIn = false;
  polygon.forEach(([x1, y1], i) => {
    const [x2, y2] = polygon[(i + 1) % polygon.length]!;
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isIn = !isIn;
  });
  return isIn;
}
