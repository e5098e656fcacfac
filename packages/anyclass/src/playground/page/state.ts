// The state of the page, and its encoding in the part of the address after '#', so that a view can be shared.

import { type PaletteName, paletteNames } from './palettes.js';

export interface PlaygroundState {
  readonly y1: 0 | 1;
  readonly y2: 0 | 1;
  readonly lambda: number;
  readonly alpha: number;
  readonly gamma: number;
  /** Position of the crosshair. */
  readonly p1: number;
  readonly p2: number;
  readonly palette: PaletteName;
  readonly contours: ContourCount;
}

export const contourCounts = [0, 4, 9, 19] as const;
export type ContourCount = (typeof contourCounts)[number];

/** The numeric fields and their ranges. */
export const ranges = {
  lambda: { min: 0, max: 1 },
  alpha: { min: 0, max: 1 },
  gamma: { min: 0, max: 5 },
  p1: { min: 0.01, max: 0.99 },
  p2: { min: 0.01, max: 0.99 },
} as const;
export type NumberField = keyof typeof ranges;
export const numberFields: readonly NumberField[] = ['lambda', 'alpha', 'gamma', 'p1', 'p2'];

/** The paper's defaults with cross-entropy; class 1 is present and class 2 is not. */
export const initialState: PlaygroundState = {
  y1: 1,
  y2: 0,
  lambda: 0.02,
  alpha: 1,
  gamma: 0,
  p1: 0.7,
  p2: 0.4,
  palette: 'viridis',
  contours: 9,
};

/**
 * Encodes a state for the address.
 *
 * @example
 * stateToHash(initialState) // 'y=10&lambda=0.02&alpha=1&gamma=0&p=0.7,0.4&palette=viridis&contours=9'
 */
export function stateToHash({
  y1,
  y2,
  lambda,
  alpha,
  gamma,
  p1,
  p2,
  palette,
  contours,
}: PlaygroundState): string {
  return `y=${y1}${y2}&lambda=${lambda}&alpha=${alpha}&gamma=${gamma}&p=${p1},${p2}&palette=${palette}&contours=${contours}`;
}

/**
 * Describes the settings of the plots in words.
 *
 * @example
 * settingsText(initialState) // 'y₁ = 1, y₂ = 0, λ = 0.02, α = 1, γ = 0'
 */
export function settingsText({ y1, y2, lambda, alpha, gamma }: PlaygroundState): string {
  return `y₁ = ${y1}, y₂ = ${y2}, λ = ${lambda}, α = ${alpha}, γ = ${gamma}`;
}

/**
 * Reads what `stateToHash` wrote, with or without the '#'; missing or invalid parts get their initial value.
 */
export function stateFromHash(hash: string): PlaygroundState {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const labels = fields.get('y')?.match(/^([01])([01])$/);
  const [p1, p2] = fields.get('p')?.split(',') ?? [];
  const palette = paletteNames.find((name) => name === fields.get('palette'));
  const contours = contourCounts.find((count) => String(count) === fields.get('contours'));
  return {
    y1: labels ? (labels[1] === '1' ? 1 : 0) : initialState.y1,
    y2: labels ? (labels[2] === '1' ? 1 : 0) : initialState.y2,
    lambda: numberWithin('lambda', fields.get('lambda')) ?? initialState.lambda,
    alpha: numberWithin('alpha', fields.get('alpha')) ?? initialState.alpha,
    gamma: numberWithin('gamma', fields.get('gamma')) ?? initialState.gamma,
    p1: numberWithin('p1', p1) ?? initialState.p1,
    p2: numberWithin('p2', p2) ?? initialState.p2,
    palette: palette ?? initialState.palette,
    contours: contours ?? initialState.contours,
  };
}

/** Parses a number and clamps it to the field's range; undefined if the text is not a number. */
export function numberWithin(field: NumberField, text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? clamp(field, value) : undefined;
}

export function clamp(field: NumberField, value: number): number {
  return Math.min(ranges[field].max, Math.max(ranges[field].min, value));
}
