// What a plot shows at the crosshair: the value that core computes there, and the direction in which training
// pushes.

import { likelihood, logLikelihoodGradient } from '@anyclass/core';
import type { PlotDefinition } from './plots.js';
import type { PlaygroundState } from './state.js';

export interface Reading {
  readonly value: number;
  /** Derivatives with respect to p1 and p2. */
  readonly gradient: readonly [number, number];
  /** The gradient for a likelihood, which training raises; its opposite for a loss. */
  readonly push: readonly [number, number];
}

export function readingAt(plot: PlotDefinition, state: PlaygroundState): Reading {
  const point = [state.p1, state.p2];
  const targets = [state.y1, state.y2];
  const value = likelihood(plot.quantity, point, targets, state);
  const [along1 = 0, along2 = 0] = logLikelihoodGradient(plot.quantity, point, targets, state);
  const factor = plot.negativeLog ? -1 : value;
  const gradient = [factor * along1, factor * along2] as const;
  return plot.negativeLog
    ? { value: -Math.log(value), gradient, push: [along1, along2] }
    : { value, gradient, push: gradient };
}

/**
 * Formats a number with three digits and a typographic minus sign, which is as wide as a plus.
 *
 * @example
 * shortNumber(-0.012345) // '−0.0123'
 */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  const text = size >= 1000 || (size > 0 && size < 0.001) ? size.toExponential(1) : size.toPrecision(3);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}
