// One plot of the page: its title, the surface with axes, the crosshair with the arrow, and the reading
// below.

import { contourTracer } from './contours.js';
import { likelihoodScale, lossScale } from './levels.js';
import type { Palette } from './palettes.js';
import type { PlotDefinition } from './plots.js';
import { readingAt, shortNumber } from './reading.js';
import { type PlaygroundState, ranges } from './state.js';
import { type SurfaceCanvas, surfaceCanvas } from './surfaceCanvas.js';
import { type PlotPicture, pictureSide } from './svgPicture.js';

export const steps = 200;
const contourLines = contourTracer(steps);

export interface PlotView {
  readonly plot: PlotDefinition;
  readonly values: Float32Array;
  readonly element: HTMLElement;
  /** The element that receives pointer and key events. */
  readonly surface: HTMLElement;
  readonly canvas: SurfaceCanvas;
  /** Moves the crosshair and its reading on a plot of `side` pixels; returns the reading in words. */
  readonly showReading: (state: PlaygroundState, side: number) => string;
  /** Returns the plot as it is currently drawn. */
  readonly picture: (state: PlaygroundState, palette: Palette) => PlotPicture;
  /** Saves only this plot. */
  readonly saveButton: HTMLButtonElement;
}

export function plotView(plot: PlotDefinition): PlotView {
  const element = document.createElement('figure');
  element.id = plot.id;
  element.innerHTML = `
<figcaption><strong></strong><span>${plot.formula}</span><button type="button" class="save">SVG</button></figcaption>
<div class="frame">${ticks()}
<div class="surface" tabindex="0" role="application" aria-roledescription="plot with a crosshair">
<svg aria-hidden="true">
<g class="shade"><line class="down" y2="100%"/><line class="across" x2="100%"/></g>
<g class="light"><line class="down" y2="100%"/><line class="across" x2="100%"/></g>
<svg class="place"><path/><circle r="3"/></svg>
</svg><div class="handle"></div></div></div>
<p class="reading"><output></output><span></span></p>`;
  const surface = part(element, '.surface');
  const scale = plot.negativeLog ? lossScale : likelihoodScale;
  const canvas = surfaceCanvas(scale, steps, contourLines);
  surface.prepend(canvas.heat, canvas.lines);
  const values = new Float32Array(steps * steps);
  const saveButton = element.querySelector('button')!;
  saveButton.setAttribute('aria-label', `Save ${plotName(plot)} as SVG`);
  return {
    plot,
    element,
    surface,
    canvas,
    values,
    saveButton,
    showReading: crosshair(plot, element, surface),
    picture(state, palette) {
      const { value, push } = readingAt(plot, state);
      const place = [axisShare(state.p1), axisShare(state.p2)] as const;
      const levels = scale.levels[state.contours];
      return {
        title: plotName(plot, state.gamma > 0),
        grid: { values, steps },
        scale,
        palette,
        levels,
        lines: contourLines(values, levels),
        heat: canvas.heat.toDataURL('image/png'),
        crosshair: place,
        arrow: arrowPath(push, [pictureSide * place[0], pictureSide * place[1]], pictureSide),
        reading: `${shortNumber(value)} at p₁ ${shortNumber(state.p1)}, p₂ ${shortNumber(state.p2)}`,
        ticks: tickPlaces.map((tick) => [String(tick), axisShare(tick)]),
      };
    },
  };
}

/** Returns the name of a plot, for example 'Combined loss'. */
function plotName({ title, focusedTitle, negativeLog }: PlotDefinition, isFocused = false): string {
  return `${isFocused ? focusedTitle : title}${negativeLog ? ' loss' : ''}`;
}

function crosshair(
  plot: PlotDefinition,
  element: HTMLElement,
  surface: HTMLElement,
): PlotView['showReading'] {
  const title = part(element, 'strong');
  const output = part(element, 'output');
  const slope = part(element, '.reading span');
  const [down, across] = [surface.querySelectorAll('.down'), surface.querySelectorAll('.across')];
  const handle = part(surface, '.handle');
  const place = surface.querySelector('.place');
  const arrow = surface.querySelector('path');
  let shown: PlaygroundState | undefined;
  return (state, side) => {
    if (state.p1 !== shown?.p1 || state.p2 !== shown.p2) {
      const left = `${100 * axisShare(state.p1)}%`;
      const top = `${100 * (1 - axisShare(state.p2))}%`;
      for (const line of down) for (const end of ['x1', 'x2']) line.setAttribute(end, left);
      for (const line of across) for (const end of ['y1', 'y2']) line.setAttribute(end, top);
      place?.setAttribute('x', left);
      place?.setAttribute('y', top);
      handle.style.left = left;
      handle.style.top = top;
    }
    shown = state;
    const { value, gradient, push } = readingAt(plot, state);
    const path = arrowPath(push, [side * axisShare(state.p1), side * axisShare(state.p2)], side);
    if (arrow?.getAttribute('d') !== path) arrow?.setAttribute('d', path);
    write(title, state.gamma > 0 ? plot.focusedTitle : plot.title);
    write(output, shortNumber(value));
    output.title = String(value);
    write(slope, `∇ (${gradient.map(shortNumber).join(', ')})`);
    const words = `${plotName(plot, state.gamma > 0)}: ${shortNumber(value)} at p1 ${shortNumber(state.p1)}, p2 ${shortNumber(state.p2)}`;
    surface.setAttribute('aria-label', `${words}. Arrow keys move the crosshair.`);
    return words;
  };
}

// Writing the same text again would make the browser lay it out and paint it again, and a small step changes
// few digits.
function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Returns a probability's position along an axis, from 0 to 1. */
function axisShare(probability: number): number {
  const { min, max } = ranges.p1;
  return (probability - min) / (max - min);
}

/**
 * Pixels by which the arrow may extend past the plot's edge, so that its head is visible even if the
 * crosshair is on the edge.
 */
const overEdge = 12;

// The length, from 12 to 52 pixels, shows how steep the surface is. Near an edge, where an arrow that starts
// at the crosshair would leave the plot, it starts behind the crosshair and passes through it; only an arrow
// that cuts off a corner becomes shorter.
function arrowPath(
  [along1, along2]: readonly [number, number],
  [right, up]: readonly [number, number],
  side: number,
): string {
  const size = Math.hypot(along1, along2);
  if (!(size > 1e-9)) return '';
  const [dx, dy] = [along1 / size, -along2 / size];
  const length = 12 + (40 * size) / (1 + size);
  const tip = Math.min(length, wayToEdge(dx, right, side), wayToEdge(-dy, up, side));
  const tail = Math.max(tip - length, -wayToEdge(-dx, right, side), -wayToEdge(dy, up, side));
  const neck = tip - 8;
  const at = (along: number, aside: number) =>
    `${(dx * along - dy * aside).toFixed(1)} ${(dy * along + dx * aside).toFixed(1)}`;
  return `M${at(tail, 1)}L${at(neck, 1)}L${at(neck, 4.5)}L${at(tip, 0)}L${at(neck, -4.5)}L${at(neck, -1)}L${at(tail, -1)}Z`;
}

function wayToEdge(direction: number, place: number, side: number): number {
  const ahead = direction > 0 ? side - place : place;
  return (ahead + overEdge) / Math.abs(direction);
}

const tickPlaces = [0.25, 0.5, 0.75] as const;

function ticks(): string {
  const places = tickPlaces.map((tick) => [tick, (100 * axisShare(tick)).toFixed(1)] as const);
  const across = places.map(([tick, place]) => `<span style="left:${place}%">${tick}</span>`).join('');
  const up = places.map(([tick, place]) => `<span style="bottom:${place}%">${tick}</span>`).join('');
  return `<div class="ordinate" aria-hidden="true">${up}<i>p<sub>2</sub></i></div>
<div class="abscissa" aria-hidden="true">${across}<i>p<sub>1</sub></i></div>`;
}

function part(element: HTMLElement, selector: string): HTMLElement {
  const found = element.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`the plot has no '${selector}'`);
  return found;
}
