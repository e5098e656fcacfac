// The frame of every chart. A chart does not know how wide it will be: it states horizontal places as shares of its width
// and vertical ones in pixels, so that the same SVG fills a column and a phone with text at its true size, without a
// script. (The idea is that of Rich Harris' Pancake.) Lines are drawn in an inner SVG that stretches, in strokes that do not.

import { fixedColors } from '../colors.js';
import { escaped } from '../escaped.js';
import { chartStyle } from '../style/chart.js';
import type { Tick } from './ticks.js';

export interface Axis {
  readonly range: readonly [number, number];
  readonly ticks: readonly Tick[];
  /** Written in words: above the chart for y, below its right end for x. */
  readonly name?: string;
  /** Whether lines cross the plot at the ticks. Default: for y only. */
  readonly grid?: boolean;
}

export interface Margins {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Turns values into places. */
export interface Places {
  /** A share of the width, as text for an attribute. */
  x(value: number): string;
  /** Pixels from the top. */
  y(value: number): number;
  /** A line through points; `attributes` has its class, style and dashes. */
  line(points: readonly (readonly [number, number])[], attributes: string): string;
  /** The area within a closed line. */
  area(points: readonly (readonly [number, number])[], attributes: string): string;
}

export interface PlotOptions {
  /** What a screen reader says, with the main numbers. */
  readonly label: string;
  /** Height of the plot in pixels, without margins. */
  readonly height: number;
  readonly x: Axis;
  readonly y: Axis;
  readonly margins?: Partial<Margins>;
  /** The least width that it can be read at; in a narrower place it must scroll. */
  readonly minWidth?: number;
}

/** The width of a chart with its margins on a phone. */
const phoneWidth = 340;

/**
 * Returns a chart: axes, and the marks that `draw` returns.
 *
 * @example
 * const x = { range: [0, 2], ticks: roundTicks(0, 2) } as const;
 * plot({ label: 'Loss', height: 160, x, y: x }, (at) => `<circle cx="${at.x(1)}" cy="${at.y(1)}" r="4"/>`) // '<svg class="chart" …'
 */
export function plot(
  { label, height, x, y, margins = {}, minWidth }: PlotOptions,
  draw: (at: Places) => string,
): string {
  const hasName = y.name !== undefined && y.name !== '';
  const widest = Math.max(0, ...y.ticks.map(({ text }) => textWidth(text)));
  const {
    left = y.ticks.length > 0 ? widest + 10 : 4,
    right = 12,
    top = hasName ? 30 : 8,
    bottom = (x.ticks.length > 0 ? 22 : 4) + (x.name ? 16 : 0),
  } = margins;
  const at = placesIn(x.range, y.range, height);
  const rows = y.ticks.map(({ at: value, text }) => {
    const grid =
      y.grid === false ? '' : `<line class="grid" x1="0" x2="100%" y1="${at.y(value)}" y2="${at.y(value)}"/>`;
    return `${grid}<text x="-8" y="${at.y(value) + 4}" text-anchor="end">${escaped(text)}</text>`;
  });
  const columns = x.ticks.map(({ at: value, text }) => {
    const place = at.x(value);
    const grid = x.grid ? `<line class="grid" x1="${place}" x2="${place}" y1="0" y2="${height}"/>` : '';
    return `${grid}<line class="axis" x1="${place}" x2="${place}" y1="${height}" y2="${height + 4}"/><text x="${place}" y="${height + 17}" text-anchor="middle">${escaped(text)}</text>`;
  });
  const base =
    x.ticks.length > 0 ? `<line class="axis" x1="0" x2="100%" y1="${height}" y2="${height}"/>` : '';
  // On a phone, a name that is longer than the plot and its left margin goes into the right one.
  const overhang = Math.min(right, Math.max(0, textWidth(x.name ?? '') - (phoneWidth - right)));
  const names = [
    hasName ? `<text x="${-left}" y="-12">${escaped(y.name!)}</text>` : '',
    x.name
      ? `<text x="100%"${overhang > 0 ? ` dx="${overhang}"` : ''} y="${height + 33}" text-anchor="end">${escaped(x.name)}</text>`
      : '',
  ].join('');
  // Spaces are the chart's margins, not padding, since text may stand in them.
  const least = minWidth === undefined ? '' : `min-width:${minWidth}px;`;
  const style = `${least}width:calc(100% - ${left + right}px);height:${height}px;margin:${top}px ${right}px ${bottom}px ${left}px`;
  return `<svg class="chart" role="img" aria-label="${escaped(label)}" style="${style}" data-space="${[left, right, top, bottom].join(' ')}"${minWidth === undefined ? '' : ' data-wide'}>${rows.join('')}${base}${columns.join('')}${names}${draw(at)}</svg>`;
}

function placesIn(x: Axis['range'], y: Axis['range'], height: number): Places {
  const share = (value: number) => (value - x[0]) / (x[1] - x[0] || 1);
  const down = (value: number) => digits(height - ((value - y[0]) / (y[1] - y[0] || 1)) * height);
  const stretched = (points: readonly (readonly [number, number])[], end: string, attributes: string) => {
    if (points.length === 0) return '';
    const steps = points.map(
      ([px, py], i) => `${i === 0 ? 'M' : 'L'}${digits(1000 * share(px))} ${down(py)}`,
    );
    return `<svg viewBox="0 0 1000 ${height}" preserveAspectRatio="none" width="100%" height="${height}" overflow="visible"><path d="${steps.join('')}${end}" ${attributes}/></svg>`;
  };
  return {
    x: (value) => `${digits(100 * share(value))}%`,
    y: down,
    line: (points, attributes) => stretched(points, '', `class="line" ${attributes}`),
    area: (points, attributes) => stretched(points, 'Z', attributes),
  };
}

/**
 * Returns a chart as a file of its own, in the light colors and with a fixed width.
 *
 * @example
 * writeFileSync('loss.svg', chartFile(lineChart(lines, options)))
 */
export function chartFile(chart: string, width = 480): string {
  const [left = 0, right = 0, top = 0, bottom = 0] =
    /data-space="([^"]*)"/.exec(chart)?.[1]?.split(' ').map(Number) ?? [];
  const height = Number(/;height:([\d.]+)px/.exec(chart)?.[1] ?? 0);
  const label = /aria-label="([^"]*)"/.exec(chart)?.[1] ?? '';
  const inner = chart
    .replace(/ role="img" aria-label="[^"]*"/, '')
    .replace(/ style="[^"]*"/, ` width="${width - left - right}" height="${height}" overflow="visible"`)
    .replace(/ data-space="[^"]*"( data-wide)?/, '');
  const box = [-left, -top, width, height + top + bottom];
  const [x, y, w, h] = box;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.join(' ')}" width="${w}" height="${h}" role="img" aria-label="${label}"><style>${fixedColors(chartStyle)}</style><rect x="${x}" y="${y}" width="${w}" height="${h}" fill="#ffffff"/>${fixedColors(inner)}</svg>\n`;
}

/** Returns the width that a text of 12 pixels takes at most in common system fonts. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width +=
      character > '\u1100'
        ? 12
        : 'iljt.,:;|! '.includes(character)
          ? 4
          : 'mwMW%@'.includes(character)
            ? 11
            : 7;
  return width;
}

/** Returns a number for an attribute: a hundredth of a pixel is enough. */
export function digits(value: number): number {
  return Math.round(value * 100) / 100;
}
