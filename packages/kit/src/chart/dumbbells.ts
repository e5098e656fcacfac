import { color } from '../colors.js';
import { escaped } from '../escaped.js';
import { percentText } from '../numbers.js';
import { digits, plot, textWidth } from './plot.js';
import { roundRange, roundTicks } from './ticks.js';

/** A value before and after a change; shares from 0 to 1, null where undefined. */
export interface Dumbbell {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
}

/**
 * Draws two dots joined by a line for each row: a hollow one before and a filled one after.
 *
 * @example
 * dumbbells('F1 by class', { before: 'bce', after: 'any-bce' }, [{ name: 'crack', before: 0.31, after: 0.42 }])
 */
export function dumbbells(
  label: string,
  titles: { readonly before: string; readonly after: string },
  rows: readonly Dumbbell[],
): string {
  const step = 22;
  const height = step * rows.length;
  const left = Math.min(170, Math.max(30, ...rows.map(({ name }) => textWidth(name)))) + 10;
  const values = rows.flatMap(({ before, after }) => [before, after]).filter((value) => value !== null);
  const range = roundRange(values, { within: [0, 1], least: 0.1 });
  const texts = (value: number | null) => (value === null ? '–' : percentText(value));
  return plot(
    {
      label: `${label}: ${rows.map(({ name, before, after }) => `${name} ${texts(before)} to ${texts(after)}`).join(', ')}`,
      height,
      x: { range, ticks: roundTicks(...range, 5, { text: (share) => percentText(share, 0) }), grid: true },
      y: { range: [0, 1], ticks: [] },
      margins: { left, right: 12, top: 24 },
    },
    (at) => {
      const [before, after] = [color('ink-3'), color('accent')];
      const gap = textWidth(titles.before) + 40;
      const key = `<circle cx="5" cy="-12" r="4" style="fill:${color('page')};stroke:${before}" stroke-width="2"/><text x="15" y="-8">${escaped(titles.before)}</text><circle cx="${gap + 5}" cy="-12" r="5" style="fill:${after}"/><text x="${gap + 15}" y="-8">${escaped(titles.after)}</text>`;
      const drawn = rows.map((row, i) => {
        const y = digits(step * (i + 0.5));
        const name = row.name.length > 26 ? `${row.name.slice(0, 24)}…` : row.name;
        const joined =
          row.before === null || row.after === null
            ? ''
            : `<line x1="${at.x(row.before)}" x2="${at.x(row.after)}" y1="${y}" y2="${y}" style="stroke:${color('rule-strong')}" stroke-width="2"/>`;
        const dot = (value: number | null, title: string, look: string, radius: number) =>
          value === null
            ? ''
            : `<circle cx="${at.x(value)}" cy="${y}" r="${radius}" ${look} data-label="${escaped(`${row.name}, ${title}: ${percentText(value, 2)}`)}"/>`;
        return `<text x="${-left}" y="${y + 4}">${escaped(name)}</text>${joined}${dot(row.before, titles.before, `style="fill:${color('page')};stroke:${before}" stroke-width="2"`, 4)}${dot(row.after, titles.after, `style="fill:${after}"`, 5)}`;
      });
      return key + drawn.join('');
    },
  );
}
