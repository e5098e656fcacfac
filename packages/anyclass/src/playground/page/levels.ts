// The scale of a plot: which values get a contour, and how values map to colors.

import type { ContourCount } from './state.js';

export interface Scale {
  /** The largest value that has its own color. */
  readonly largest: number;
  readonly levels: Record<ContourCount, readonly number[]>;
  /** Returns a value's position between the darkest color, 0, and the brightest, 1. */
  readonly share: (value: number) => number;
}

const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

export const likelihoodScale: Scale = {
  largest: 1,
  levels: {
    0: [],
    4: [0.2, 0.4, 0.6, 0.8],
    9: tenths,
    19: [0.05, ...tenths.flatMap((tenth) => [tenth, Number((tenth + 0.05).toFixed(2))])],
  },
  share: (value) => value,
};

// The loss of two classes as wrong as the axes allow, plus that of their plain product, which is as large
// again.
const largestLoss = -4 * Math.log(0.01);

/**
 * One scale for all losses, so that their plots can be compared. It is a square-root scale, because most of a
 * plot is near 0. A small loss is bright, like a large likelihood, so training moves toward brighter colors.
 */
export const lossScale: Scale = {
  largest: largestLoss,
  levels: {
    0: [],
    4: [0.5, 1, 2, 5],
    9: [0.1, 0.2, 0.5, 1, 2, 3, 4, 6, 8],
    19: [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10],
  },
  share: (value) => 1 - Math.sqrt(value / largestLoss),
};
