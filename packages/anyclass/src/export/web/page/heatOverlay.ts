import type { HeatMap } from '@anyclass/browser';
import { heatColor, heatGradient } from '@anyclass/kit';
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

/** The colors of a map and what they mean. */
export function heatScale(): HTMLParagraphElement {
  const ramp = create('span', 'ramp');
  ramp.style.background = heatGradient;
  return create('p', 'scale faint', 'no evidence', ramp, 'strongest of the map');
}
