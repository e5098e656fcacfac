import { seriesColors } from './palette.js';

const markers = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect'] as const;
const dashes = ['solid', [7, 4], [2, 3], [10, 3, 2, 3], [14, 4], [5, 2, 1, 2, 1, 2]] as const;

/**
 * Returns the look of a line. Markers and dashes shift with each round of colors, by one and by two, so that
 * no two of 36 lines share color and marker, or marker and dashes, which is all that a black-and-white print
 * shows.
 */
export function lookOf(index: number) {
  const round = Math.floor(index / seriesColors.length);
  return {
    color: seriesColors[index % seriesColors.length]!.light,
    marker: markers[(index + round) % markers.length]!,
    dash: dashes[(index + 2 * round) % dashes.length]!,
  };
}
