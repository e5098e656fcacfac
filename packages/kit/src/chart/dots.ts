import { color } from '../colors.js';
import { escaped } from '../escaped.js';
import { percentText } from '../numbers.js';
import { digits, plot, textWidth } from './plot.js';
import { roundTicks } from './ticks.js';

/** A value from 0 to 1 with, if known, its interval. */
export interface Dot {
  readonly name: string;
  readonly value: number;
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
  /** Whether it is what the page is about. */
  readonly isChosen?: boolean;
}

/**
 * Draws values with their intervals below each other on one axis from 0 to 100%.
 *
 * @example
 * dots('F1 on test, %', [{ name: 'this decision', value: 0.714, interval: { low: 0.66, high: 0.76 }, isChosen: true }, { name: 'chance', value: 0.05 }])
 */
export function dots(title: string, rows: readonly Dot[]): string {
  const step = 20;
  const height = step * rows.length;
  const left = Math.min(150, Math.max(...rows.map(({ name }) => textWidth(name))) + 16);
  const told = rows.map(({ name, value }) => `${name} ${percentText(value)}`).join(', ');
  return plot(
    {
      label: `${title}: ${told}`,
      height,
      x: { range: [0, 1], ticks: roundTicks(0, 1, 4, { text: (share) => percentText(share, 0) }) },
      y: { range: [0, 1], ticks: [], name: title },
      margins: { left, right: 14, top: 20 },
    },
    (at) =>
      rows
        .map(({ name, value, interval, isChosen = false }, row) => {
          const y = digits(step * (row + 0.5));
          const mark = color(isChosen ? 'accent' : 'ink-3');
          const end = interval?.high ?? value;
          const isNearEnd = end > 0.85;
          const whisker = interval
            ? `<line x1="${at.x(interval.low)}" x2="${at.x(interval.high)}" y1="${y}" y2="${y}" style="stroke:${mark}" stroke-opacity=".45" stroke-width="${isChosen ? 3 : 2}"/>`
            : '';
          const place = isNearEnd
            ? `x="${at.x(interval?.low ?? value)}" dx="-9" text-anchor="end"`
            : `x="${at.x(end)}" dx="9"`;
          return `<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}"/><text x="${-left}" y="${y + 4}"${isChosen ? ' class="strong"' : ''}>${escaped(name)}</text>${whisker}<circle cx="${at.x(value)}" cy="${y}" r="${isChosen ? 5 : 4}" style="fill:${mark}"/><text ${place} y="${y + 4}" class="halo${isChosen ? ' strong' : ''}">${percentText(value)}</text>`;
        })
        .join(''),
  );
}
