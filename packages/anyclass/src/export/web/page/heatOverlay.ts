import type { HeatMap } from '@anyclass/browser';

/**
 * From transparent blue to nearly opaque yellow; brightness rises too, so that the map reads without color.
 */
const stops = [
  [40, 60, 160, 0],
  [150, 40, 140, 110],
  [235, 90, 60, 160],
  [255, 225, 90, 190],
] as const;

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
  for (const [i, value] of values.entries()) pixels.data.set(colorOf(value), 4 * i);
  context.putImageData(pixels, 0, 0);
}

function colorOf(value: number): number[] {
  const position = value * (stops.length - 1);
  const before = Math.min(stops.length - 2, Math.floor(position));
  const [from, to] = [stops[before]!, stops[before + 1]!];
  return from.map((start, c) => start + (to[c]! - start) * (position - before));
}
