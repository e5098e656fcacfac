// What a heat map is, and how it is asked for.

import { classActivationUnit } from '@anyclass/kit';

/** How a heat map is computed; see `heatMaps`. */
export const heatMapMethods = ['cam', 'grad-cam', 'layer-cam', 'tokens', 'occlusion', 'tiles'] as const;

export type HeatMapMethod = (typeof heatMapMethods)[number];

/** A class by its number, or presence: what the gate compares, Σ log(1 + exp(logit)). */
export type Target = number | 'presence';

/** Where in an image the evidence for a target is; rows run from the top. */
export interface HeatMap {
  readonly method: HeatMapMethod;
  readonly rows: number;
  readonly columns: number;
  /** Evidence for the target in each cell, at least 0; see `unitOf` for what 1 means. */
  readonly values: Float32Array;
}

/**
 * Says what the values of a method's maps are.
 *
 * @example
 * unitOf('occlusion') // 'drop of the score when covered'
 */
export function unitOf(method: HeatMapMethod): string {
  return units[method];
}

const units: Readonly<Record<HeatMapMethod, string>> = {
  cam: classActivationUnit,
  'grad-cam': 'gradient times activation, averaged per channel',
  'layer-cam': 'gradient times activation, positive gradients only',
  tokens: 'relevance through the attention layers',
  occlusion: 'drop of the score when covered',
  tiles: 'probability of the tile by itself',
};

/**
 * Returns the largest value, the right end of the map's scale.
 *
 * @example
 * peakOf({ method: 'cam', rows: 1, columns: 2, values: Float32Array.of(0, 2) }) // 2
 */
export function peakOf({ values }: HeatMap): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/**
 * Returns the cell with the largest value, as shares of the image's width and height; undefined for a map of zeros.
 *
 * @example
 * peakPlace({ method: 'cam', rows: 1, columns: 2, values: Float32Array.of(0, 2) }) // { x: 0.75, y: 0.5 }
 */
export function peakPlace(map: HeatMap): { readonly x: number; readonly y: number } | undefined {
  const peak = peakOf(map);
  if (peak === 0) return undefined;
  const at = map.values.indexOf(peak);
  return {
    x: ((at % map.columns) + 0.5) / map.columns,
    y: (Math.floor(at / map.columns) + 0.5) / map.rows,
  };
}
