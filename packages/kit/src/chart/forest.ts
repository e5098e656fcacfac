import { color } from '../colors.js';
import { escaped } from '../escaped.js';
import { signedPoints } from '../numbers.js';
import { plot, textWidth } from './plot.js';
import { roundTicks } from './ticks.js';

/** A difference with its interval; shares, such as 0.07 for 7 points. */
export interface ForestRow {
  readonly name: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The difference of each seed. */
  readonly seeds?: readonly number[];
  /** `holds`: the interval excludes 0 and every seed agrees; `interval`: only the interval does; `open`: neither. */
  readonly state: 'holds' | 'interval' | 'open';
  /** For a difference that holds: whether it is for the better. */
  readonly isBetter?: boolean;
}

export interface ForestGroup {
  readonly title: string;
  readonly rows: readonly ForestRow[];
}

/**
 * Draws differences with their intervals around 0: thick and filled where a difference holds, a dark ring where only the
 * interval excludes 0, gray where it is open. Small ticks are seeds. `isNarrow` puts names and numbers above their marks, for a phone.
 *
 * @example
 * forest('Difference from bce', [{ title: 'any-bce', rows: [{ name: 'F1', value: 0.07, low: 0.02, high: 0.12, state: 'interval' }] }])
 */
export function forest(
  label: string,
  groups: readonly ForestGroup[],
  { isNarrow = false }: { readonly isNarrow?: boolean } = {},
): string {
  const step = isNarrow ? 38 : 21;
  const heading = 24;
  const rows = groups.flatMap((group) => group.rows);
  const all = rows.flatMap(({ value, low, high, seeds = [] }) => [value, low, high, ...seeds]);
  const reach = 1.06 * Math.max(0.005, ...all.map(Math.abs));
  const titles = groups.length > 1 || groups[0]?.title ? heading : 0;
  const height = rows.length * step + groups.length * titles + 8;
  // Bold names are wider.
  const widths = rows.map(({ name, state }) => (state === 'holds' ? 1.12 : 1) * textWidth(name));
  const left = isNarrow ? 4 : Math.min(200, Math.max(60, ...widths)) + 10;
  let y = 0;
  return plot(
    {
      label: `${label}: ${groups.map(({ title, rows: own }) => `${title} ${own.map(rowText).join(', ')}`).join('; ')}`,
      height,
      x: {
        range: [-reach, reach],
        ticks: roundTicks(-reach, reach, 4, { text: (share) => signedPoints(share, stepDigits(reach)) }),
        grid: true,
      },
      y: { range: [0, 1], ticks: [] },
      margins: { left, right: isNarrow ? 4 : 158, top: 20 },
    },
    (at) => {
      const zero = `<line class="axis" x1="50%" x2="50%" y1="0" y2="${height}"/><text x="50%" dx="-6" y="-6" text-anchor="end">← less</text><text x="50%" dx="6" y="-6">more →</text>`;
      const drawn = groups.map(({ title, rows: own }) => {
        const head =
          titles === 0 ? '' : `<text x="${-left}" y="${y + 17}" class="strong">${escaped(title)}</text>`;
        y += titles;
        const marks = own.map((row) => {
          const place = isNarrow
            ? { text: y + 14, marks: y + 24, left: 0, right: 0 }
            : { text: y + 14.5, marks: y + 10.5, left, right: 150 };
          y += step;
          return rowMarks(row, place, at.x);
        });
        return head + marks.join('');
      });
      return zero + drawn.join('');
    },
  );
}

/** Where a row's parts stand: baseline of its texts, middle of its marks, and how far texts are outside of the plot. */
interface RowPlace {
  readonly text: number;
  readonly marks: number;
  readonly left: number;
  readonly right: number;
}

function rowMarks(
  row: ForestRow,
  { text, marks: y, left, right }: RowPlace,
  x: (value: number) => string,
): string {
  const { name, value, low, high, seeds = [], state, isBetter = true } = row;
  const stroke = color(
    state === 'holds' ? (isBetter ? 'found' : 'missed') : state === 'interval' ? 'ink' : 'clear',
  );
  const width = state === 'holds' ? 4 : 2;
  const mark =
    state === 'holds'
      ? `<circle cx="${x(value)}" cy="${y}" r="5.5" style="fill:${stroke}"/>`
      : `<circle cx="${x(value)}" cy="${y}" r="4" style="fill:${color('page')};stroke:${stroke}" stroke-width="2"/>`;
  const ticks = seeds.map(
    (seed) =>
      `<line x1="${x(seed)}" x2="${x(seed)}" y1="${y + 5}" y2="${y + 9}" style="stroke:${color('ink-3')}"/>`,
  );
  const look =
    state === 'holds'
      ? ' class="strong halo"'
      : ` class="halo"${state === 'interval' ? ` style="fill:${color('ink')}"` : ''}`;
  return `<text x="${-left}" y="${text}"${look}>${escaped(name)}</text><line x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}" style="stroke:${stroke}" stroke-width="${width}"/>${ticks.join('')}${mark}<text x="100%" dx="${right}" y="${text}" text-anchor="end"${look}>${rowRange(row)}</text>`;
}

function rowRange({ value, low, high }: ForestRow): string {
  return `${signedPoints(value)} (${signedPoints(low)} to ${signedPoints(high)})`;
}

function rowText(row: ForestRow): string {
  return `${row.name} ${rowRange(row)}`;
}

function stepDigits(reach: number): number {
  return reach > 0.03 ? 0 : reach > 0.006 ? 1 : 2;
}
