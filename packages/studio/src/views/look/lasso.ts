// Which points a drawn line surrounds, and the line as text in the address.

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

const mostPoints = 60;

/**
 * Writes a line for the address, with few enough points for one.
 *
 * @example
 * lassoText([[0, 0], [1, 0], [0.12345, 1]]) // '0,0,1,0,0.123,1'
 */
export function lassoText(points: readonly Point[]): string {
  const stride = Math.ceil(points.length / mostPoints);
  const kept = points.filter((_, i) => i % stride === 0);
  return kept
    .flat()
    .map((value) => Number(value.toFixed(3)))
    .join(',');
}

/** Reads a line of the address; undefined if there is none, or it surrounds nothing. */
export function lassoIn(text: string | null): Point[] | undefined {
  const values = (text ?? '').split(',').map(Number);
  if (values.length < 6 || !values.every(Number.isFinite)) return undefined;
  return Array.from({ length: Math.floor(values.length / 2) }, (_, i) => [
    values[2 * i]!,
    values[2 * i + 1]!,
  ]);
}

/** A circle, for those who draw with the keyboard. */
export function circleAround([x, y]: Point, radius: number): Point[] {
  return Array.from({ length: 24 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 24;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}
