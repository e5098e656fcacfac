// Cells as the text that a reader sees.

import { type Cell, type Column, type Measured, measured } from './table.js';

/**
 * The text of a cell, with its uncertainty if any.
 *
 * @example
 * cellText({ value: 0.6313, spread: 0.0021 }, { title: 'F1', kind: 'percent' }) // '63.13 ± 0.21'
 * cellText({ value: 0.03, interval: { low: 0.01, high: 0.05 } }, { title: 'F1', kind: 'difference' }) // '+3.00 (+1.00 to +5.00)'
 * cellText({ value: 0.01, interval: { low: 0.00003, high: 0.02 } }, { title: 'F1', kind: 'difference' }) // '+1.00 (+0.003 to +2.00)'
 * cellText(null, { title: 'F1', kind: 'percent' }) // '–'
 */
export function cellText(cell: Cell, column: Column): string {
  return cellParts(cell, column).join(' ');
}

/** The texts of the value and, if known, of its uncertainty. */
export function cellParts(cell: Cell, column: Column): [value: string, uncertainty?: string] {
  if (typeof cell === 'string') return [cell];
  const { value, spread, interval } = measured(cell);
  if (value === null) return ['–'];
  const text = (each: number) =>
    interval && leavesOutZero(interval) ? textWithSign(each, column) : valueText(each, column);
  const uncertainty = [
    ...(spread === undefined ? [] : [`± ${valueText(spread, { ...column, kind: unsigned(column) })}`]),
    ...(interval ? [`(${text(interval.low)} to ${text(interval.high)})`] : []),
  ];
  return uncertainty.length === 0 ? [text(value)] : [text(value), uncertainty.join(' ')];
}

/** The emphasis of a cell; undefined for text. */
export function emphasisOf(cell: Cell): Measured['emphasis'] {
  return typeof cell === 'object' && cell !== null ? cell.emphasis : undefined;
}

function leavesOutZero({ low, high }: NonNullable<Measured['interval']>): boolean {
  return low > 0 || high < 0;
}

/** A difference with enough digits to show its sign: an interval that excludes 0 must not end at '0.00'. */
function textWithSign(value: number, column: Column): string {
  const { kind, digits = 2 } = column;
  const text = valueText(value, column);
  const isHidden = kind === 'difference' && value !== 0 && Number(text) === 0 && digits < mostDigits;
  return isHidden ? textWithSign(value, { ...column, digits: digits + 1 }) : text;
}

/** Anything smaller is rounding error. */
const mostDigits = 12;

function valueText(value: number, { kind, digits }: Column): string {
  if (Number.isNaN(value)) return '–';
  switch (kind) {
    case 'text':
      return String(value);
    case 'count':
      return value.toLocaleString('en-US');
    case 'number':
      return value.toFixed(digits ?? 4);
    case 'percent':
      return (100 * value).toFixed(digits ?? 2);
    case 'difference': {
      const text = (100 * value).toFixed(digits ?? 2);
      // A value that rounds to 0 has no sign. The minus sign U+2212 is as wide as the plus.
      if (Number(text) === 0) return text.replace('-', '');
      return value > 0 ? `+${text}` : text.replace('-', '−');
    }
  }
}

function unsigned({ kind }: Column): Column['kind'] {
  return kind === 'difference' ? 'percent' : kind;
}
