// Draws a surface on two canvases: colors at the grid's resolution, which the browser scales smoothly, and
// over them contours at the screen's resolution.

import { placeLabels } from './contourLabels.js';
import type { ContourTracer, Grid, Line } from './contours.js';
import type { Scale } from './levels.js';
import type { Palette } from './palettes.js';
import type { ContourCount } from './state.js';

export interface SurfaceCanvas {
  readonly heat: HTMLCanvasElement;
  readonly lines: HTMLCanvasElement;
  paint(grid: Grid, palette: Palette, contours: ContourCount): void;
  /** Fits the contours' resolution to the size on screen. */
  resize(side: number, pixelRatio: number): void;
}

export function surfaceCanvas(scale: Scale, steps: number, contourLines: ContourTracer): SurfaceCanvas {
  const heat = canvas('heat', steps);
  const lines = canvas('lines', 0);
  const heatContext = context(heat);
  const lineContext = context(lines);
  const image = heatContext.createImageData(steps, steps);
  const pixels = new Uint32Array(image.data.buffer);
  let ratio = 1;
  return {
    heat,
    lines,
    paint(grid, palette, contours) {
      if (scale.largest === 1) colorLinearly(pixels, grid.values, palette);
      else colorByRoot(pixels, grid.values, palette, scale.largest);
      heatContext.putImageData(image, 0, 0);
      lineContext.clearRect(0, 0, lines.width, lines.height);
      const contourLevels = scale.levels[contours];
      const found = contourLines(grid.values, contourLevels);
      drawContours(lineContext, grid, found, palette, scale, contourLevels, ratio);
    },
    resize(side, pixelRatio) {
      const width = Math.round(side * pixelRatio);
      if (lines.width === width && ratio === pixelRatio) return;
      lines.width = width;
      lines.height = width;
      ratio = pixelRatio;
      // Set here because resizing clears these settings. Not set at every painting, because setting a font
      // makes the browser lay out the page.
      lineContext.lineWidth = ratio;
      lineContext.font = `${10 * ratio}px system-ui, sans-serif`;
      lineContext.textAlign = 'center';
      lineContext.textBaseline = 'middle';
    },
  };
}

// The first row of a grid is at the bottom of the plot, that of an image at the top, so the style flips the
// canvas.
function colorLinearly(pixels: Uint32Array, values: Float32Array, palette: Palette): void {
  const colors = palette.pixels;
  for (let n = 0; n < pixels.length; n++) pixels[n] = colors[(values[n]! * 255.5) | 0]!;
}

function colorByRoot(pixels: Uint32Array, values: Float32Array, palette: Palette, largest: number): void {
  const colors = palette.pixels;
  const factor = 255.5 ** 2 / largest;
  for (let n = 0; n < pixels.length; n++) pixels[n] = colors[255 - (Math.sqrt(values[n]! * factor) | 0)]!;
}

function drawContours(
  context: CanvasRenderingContext2D,
  grid: Grid,
  lines: readonly (readonly Line[])[],
  palette: Palette,
  scale: Scale,
  levels: readonly number[],
  ratio: number,
): void {
  const { width } = context.canvas;
  const unit = width / (grid.steps - 1);
  for (const ink of ['#000', '#fff']) {
    context.beginPath();
    for (const [n, ofLevel] of lines.entries()) {
      if (palette.ink(scale.share(levels[n]!)) !== ink) continue;
      for (const line of ofLevel) {
        context.moveTo(line[0]! * unit, width - line[1]! * unit);
        for (let at = 2; at < line.length; at += 2)
          context.lineTo(line[at]! * unit, width - line[at + 1]! * unit);
      }
    }
    context.strokeStyle = ink;
    context.stroke();
  }
  for (const { level, x, y } of placeLabels(grid, lines)) {
    const text = String(levels[level]!);
    const share = scale.share(levels[level]!);
    const [halfWidth, halfHeight] = [(text.length * 2.8 + 2) * ratio, 6 * ratio];
    const [left, top] = [x * unit, width - y * unit];
    context.fillStyle = palette.color(share);
    context.fillRect(left - halfWidth, top - halfHeight, 2 * halfWidth, 2 * halfHeight);
    context.fillStyle = palette.ink(share);
    context.fillText(text, left, top);
  }
}

function canvas(name: string, side: number): HTMLCanvasElement {
  const element = document.createElement('canvas');
  element.className = name;
  element.width = side;
  element.height = side;
  return element;
}

function context(element: HTMLCanvasElement): CanvasRenderingContext2D {
  const found = element.getContext('2d');
  if (found === null) throw new Error('this browser does not support canvas');
  return found;
}
