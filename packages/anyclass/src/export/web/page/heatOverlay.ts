import type { HeatMap } from '@anyclass/browser';
import { classActivationUnit, heatColor } from '@anyclass/kit';
import { create } from './elements.js';

/**
 * Draws a heat map at its own size; the browser stretches it over the photo and smooths it.
 *
 * @example
 * drawHeatMap(canvas, prediction.heatMaps.crack);
 */
export function drawHeatMap(canvas: HTMLCanvasElement, { width, height, values }: HeatMap): void {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) return;
  const pixels = context.createImageData(width, height);
  for (const [i, value] of values.entries()) pixels.data.set(heatColor(value), 4 * i);
  context.putImageData(pixels, 0, 0);
}

/** The colors of a map and what they mean, as on a server's page. */
export function heatScale({ peak }: HeatMap): readonly (Node | string)[] {
  if (peak === 0) return ['No evidence anywhere.'];
  return ['0', create('span', 'ramp'), `${peak.toPrecision(2)}, ${classActivationUnit}`];
}
