// Places the numbers of the contours as close as possible to the diagonal along which the surface rises most,
// so that they can be read in sequence, and never over each other or over the border.

import type { Grid, Line } from './contours.js';

export interface ContourLabel {
  /** Index among the levels. */
  readonly level: number;
  /** Position in steps of the grid. */
  readonly x: number;
  readonly y: number;
}

// The space that a number needs around it, as shares of a side.
const border = 0.06;
const apartAcross = 0.13;
const apartAlong = 0.08;

export function placeLabels({ values, steps }: Grid, lines: readonly (readonly Line[])[]): ContourLabel[] {
  const last = steps - 1;
  const rise = Math.abs(values[last * steps + last]! - values[0]!);
  const otherRise = Math.abs(values[last * steps]! - values[last]!);
  const isMainDiagonal = rise >= otherRise;
  const placed: ContourLabel[] = [];
  const isFree = (x: number, y: number) =>
    Math.min(x, y) > border * last &&
    Math.max(x, y) < (1 - border) * last &&
    placed.every(
      (label) => Math.abs(label.x - x) > apartAcross * last || Math.abs(label.y - y) > apartAlong * last,
    );
  for (const [level, ofLevel] of lines.entries()) {
    let nearest: ContourLabel | undefined;
    let distance = Number.POSITIVE_INFINITY;
    for (const line of ofLevel) {
      for (let n = 0; n < line.length; n += 2) {
        const x = line[n]!;
        const y = line[n + 1]!;
        const offDiagonal = Math.abs(isMainDiagonal ? x - y : x + y - last);
        if (offDiagonal >= distance || !isFree(x, y)) continue;
        nearest = { level, x, y };
        distance = offDiagonal;
      }
    }
    if (nearest !== undefined) placed.push(nearest);
  }
  return placed;
}
