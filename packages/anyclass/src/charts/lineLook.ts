import { seriesColors } from './palette.js';

const markers = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect'] as const;
const dashes = ['solid', [7, 4], [2, 3], [10, 3, 2, 3], [14, 4], [5, 2, 1, 2, 1, 2]] as const;

/**
 * How a line looks. Markers and dashes move on with each round of the colors, by one and by two: no two of 36 lines share
 * color and marker, nor marker and dashes, which is all that print in black shows.
 */
export function lookOf(index: number) {
  const round = Math.floor(index / seriesColors.length);
  return {
    color: seriesColors[index % seriesColors.length]!.light,
    marker: markers[(index + round) % markers.length]!,
    dash: dashes[(index + 2 * round) % dashes.length]!,
  };
}
