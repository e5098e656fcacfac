import { color } from '../colors.js';
import { escaped } from '../escaped.js';
import { plot, textWidth } from './plot.js';
import type { Tick } from './ticks.js';

/** An axis of parallel coordinates; places go from 0 at the bottom to 1 at the top. */
export interface ParallelAxis {
  readonly name: string;
  readonly ticks: readonly Tick[];
}

export interface ParallelLine {
  readonly label: string;
  /** A place on each axis; null where it has none. */
  readonly places: readonly (number | null)[];
  readonly isBest?: boolean;
}

/**
 * Draws trials as lines across parallel axes, one for each setting and the result last; the best trials are in blue.
 *
 * @example
 * parallel('Trials', [{ name: 'rate', ticks: [{ at: 0, text: '0.001' }] }, { name: 'F1', ticks: [] }], [{ label: 'trial 1', places: [0.2, 0.9], isBest: true }])
 */
export function parallel(
  label: string,
  axes: readonly ParallelAxis[],
  lines: readonly ParallelLine[],
  height = 260,
): string {
  const last = axes.length - 1;
  return plot(
    {
      label,
      height,
      x: { range: [0, Math.max(1, last)], ticks: [] },
      y: { range: [0, 1], ticks: [] },
      margins: { left: 44, right: 70, top: 30, bottom: 8 },
      // Names and values of neighbors must not touch; in a narrower place it scrolls.
      minWidth: 92 * axes.length,
    },
    (at) => {
      // The best last, so that they are on top.
      const sorted = lines.toSorted((a, b) => Number(a.isBest ?? false) - Number(b.isBest ?? false));
      const drawn = sorted.map(({ places, isBest = false }) =>
        at.line(
          places.flatMap((place, axis) => (place === null ? [] : [[axis, place] as const])),
          `style="stroke:${color(isBest ? 'accent' : 'clear')}" stroke-opacity="${isBest ? 1 : 0.7}"`,
        ),
      );
      const dots = sorted.flatMap(({ label: name, places, isBest = false }) =>
        places.map((place, axis) =>
          place === null
            ? ''
            : `<circle cx="${at.x(axis)}" cy="${at.y(place)}" r="${isBest ? 4 : 3}" style="fill:${color(isBest ? 'accent' : 'ink-3')}" data-label="${escaped(name)}"/>`,
        ),
      );
      const scales = axes.map(({ name, ticks }, axis) => {
        const x = at.x(axis);
        // A line that is level with a text would strike it out between its digits, where a halo leaves gaps.
        const texts = ticks.map(
          ({ at: place, text }) =>
            `<rect x="${x}" y="${at.y(place) - 7}" width="${textWidth(text) + 5}" height="14" transform="translate(6 0)" style="fill:${color('page')}"/><text x="${x}" dx="7" y="${at.y(place) + 4}">${escaped(text)}</text>`,
        );
        const anchor = axis === 0 ? 'start' : 'middle';
        return `<line class="axis" x1="${x}" x2="${x}" y1="0" y2="${height}"/><text x="${x}"${axis === 0 ? ' dx="-36"' : ''} y="-10" text-anchor="${anchor}" class="strong">${escaped(name)}</text>${texts.join('')}`;
      });
      return drawn.join('') + scales.join('') + dots.join('');
    },
  );
}
