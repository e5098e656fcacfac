import { color } from '../colors.js';

const colors = ['series-1', 'series-2', 'series-3', 'series-4'] as const;
const dashes = ['', '6 4', '2 3', '9 3 2 3', '14 4', '5 2 1 2 1 2'] as const;

/** The look of one of several lines: a color and dashes. */
export interface SeriesLook {
  readonly stroke: string;
  readonly dash: string;
}

/**
 * Returns the look of a line. Dashes shift with each round of colors, so that no two of 24 lines share both, and neighbors
 * differ in dashes alone, which is what a black-and-white print shows.
 */
export function seriesLook(index: number): SeriesLook {
  const round = Math.floor(index / colors.length);
  return {
    stroke: color(colors[index % colors.length]!),
    dash: dashes[(index + round) % dashes.length]!,
  };
}

export function strokeOf({ stroke, dash }: SeriesLook): string {
  return `style="stroke:${stroke}"${dash === '' ? '' : ` stroke-dasharray="${dash}"`}`;
}
