import { color } from '../colors.js';
import { escaped } from '../escaped.js';
import { digits, plot, textWidth } from './plot.js';
import { roundTicks } from './ticks.js';

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** Written at its end. Default: the value with separators. */
  readonly text?: string;
  /** Whether it differs in kind from the others, such as 'negative' among classes; drawn gray. */
  readonly isApart?: boolean;
}

/**
 * Draws horizontal bars with their values at the ends, which need no axis.
 *
 * @example
 * bars('Images per class', [{ name: 'crack', value: 31 }])
 */
export function bars(label: string, rows: readonly Bar[]): string {
  const step = 22;
  const left = Math.min(170, Math.max(30, ...rows.map(({ name }) => textWidth(name)))) + 10;
  const end = Math.max(1e-9, ...rows.map(({ value }) => value));
  const textOf = ({ value, text }: Bar) => text ?? value.toLocaleString('en-US');
  const right = 1.22 * Math.max(...rows.map((row) => textWidth(textOf(row)))) + 10;
  return plot(
    {
      label: `${label}: ${rows.map((row) => `${row.name} ${textOf(row)}`).join(', ')}`,
      height: step * rows.length,
      x: { range: [0, end], ticks: [] },
      y: { range: [0, 1], ticks: [] },
      margins: { left, right, top: 2, bottom: 2 },
    },
    (at) =>
      rows
        .map((row, i) => {
          const y = digits(step * i);
          const { name, value, isApart = false } = row;
          return `<text x="${-left}" y="${y + 15}">${escaped(shortName(name))}</text><rect x="0" y="${y + 4}" width="${at.x(value)}" height="14" rx="1" style="fill:${color(isApart ? 'clear' : 'series-4')}" data-label="${escaped(`${name}: ${textOf(row)}`)}"/><text x="${at.x(value)}" dx="6" y="${y + 15}" class="strong">${escaped(textOf(row))}</text>`;
        })
        .join(''),
  );
}

/** A bar of several parts, such as the splits of a class. */
export interface Stack {
  readonly name: string;
  readonly values: readonly number[];
}

/** Dark, pale, middle: neighbors differ in brightness, also in print. */
const partColors = ['level-6', 'level-3', 'level-5', 'level-2'] as const;

/**
 * Draws horizontal bars of parts, with their sums at the ends and the names of the parts above.
 *
 * @example
 * stacks('Images per class', ['train', 'test'], [{ name: 'crack', values: [31, 9] }])
 */
export function stacks(label: string, parts: readonly string[], rows: readonly Stack[]): string {
  const step = 22;
  const sum = ({ values }: Stack) => values.reduce((total, value) => total + value, 0);
  const text = (row: Stack) => sum(row).toLocaleString('en-US');
  const left = Math.min(170, Math.max(30, ...rows.map(({ name }) => textWidth(name)))) + 10;
  const right = 1.22 * Math.max(20, ...rows.map((row) => textWidth(text(row)))) + 10;
  const end = Math.max(1e-9, ...rows.map(sum));
  return plot(
    {
      label: `${label}: ${rows.map((row) => `${row.name} ${text(row)}`).join(', ')}`,
      height: step * rows.length,
      x: { range: [0, end], ticks: [] },
      y: { range: [0, 1], ticks: [] },
      margins: { left, right, top: 24, bottom: 2 },
    },
    (at) => {
      let x = 0;
      const heads = parts.map((part, i) => {
        const head = `<rect x="${x}" y="-17" width="10" height="10" style="fill:${color(partColors[i % 4]!)}"/><text x="${x + 15}" y="-8">${escaped(part)}</text>`;
        x += 15 + textWidth(part) + 16;
        return head;
      });
      const drawn = rows.map((row, i) => {
        const y = digits(step * i);
        let from = 0;
        const boxes = row.values.map((value, k) => {
          const box = `<rect x="${at.x(from)}" y="${y + 4}" width="${at.x(value)}" height="14" style="fill:${color(partColors[k % 4]!)}" data-label="${escaped(`${row.name}, ${parts[k]}: ${value.toLocaleString('en-US')}`)}"/>`;
          from += value;
          return value === 0 ? '' : box;
        });
        return `<text x="${-left}" y="${y + 15}">${escaped(shortName(row.name))}</text>${boxes.join('')}<text x="${at.x(from)}" dx="6" y="${y + 15}" class="strong">${text(row)}</text>`;
      });
      return heads.join('') + drawn.join('');
    },
  );
}

function shortName(name: string): string {
  return name.length > 26 ? `${name.slice(0, 24)}…` : name;
}

/** A column of a histogram. */
export interface Column {
  readonly text: string;
  readonly value: number;
}

/**
 * Draws upright columns with counts above them, such as labels per image.
 *
 * @example
 * columns('Labels per image', 'labels', [{ text: '0', value: 60 }, { text: '1', value: 40 }])
 */
export function columns(label: string, x: string, list: readonly Column[], height = 150): string {
  const end = Math.max(1e-9, ...list.map(({ value }) => value));
  const every = Math.ceil(list.length / 12);
  return plot(
    {
      label: `${label}: ${list.map(({ text, value }) => `${text}: ${value.toLocaleString('en-US')}`).join(', ')}`,
      height,
      x: {
        range: [0, list.length],
        ticks: list.map(({ text }, i) => ({ at: i + 0.5, text })).filter((_, i) => i % every === 0),
        name: x,
      },
      y: {
        range: [0, end],
        ticks: roundTicks(0, end, 4, { text: (value) => value.toLocaleString('en-US') }),
      },
    },
    (at) =>
      list
        .map(({ text, value }, i) => {
          const top = at.y(value);
          return `<rect x="${at.x(i + 0.12)}" y="${top}" width="${at.x(0.76)}" height="${digits(height - top)}" style="fill:${color('series-4')}" data-label="${escaped(`${text}: ${value.toLocaleString('en-US')}`)}"/>`;
        })
        .join(''),
  );
}
