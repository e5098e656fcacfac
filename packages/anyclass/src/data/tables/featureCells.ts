import { DataError } from '../../errors/dataError.js';

/**
 * A cell of a feature column as a number; NaN if it is empty or marks a missing value.
 *
 * @example
 * featureCell('0.25', 'width', () => 'wheat.csv, line 3') // 0.25
 */
export function featureCell(text: string, column: string, where: () => string): number {
  const value = decimal(text);
  if (Number.isFinite(value)) return narrowed(value, text, column, where);
  if (isBlank(text) || /^(nan|na|null|none|\?)$/i.test(text.trim())) return Number.NaN;
  if (/^(true|false)$/i.test(text.trim())) return text.trim().toLowerCase() === 'true' ? 1 : 0;
  throw new DataError(
    `${where()}: feature '${column}' is '${text}'; expected a number, or an empty cell for a missing value`,
  );
}

/**
 * Parses a decimal number; NaN if it is not one. JavaScript would accept 0x1f, 0b11, and 0o17, but in
 * a table they are damaged.
 *
 * @example
 * decimal(' 1e-3 ') // 0.001
 */
export function decimal(text: string): number {
  return isBlank(text) || /^\s*0[xbo]/i.test(text) ? Number.NaN : Number(text);
}

/** Refuses a number beyond the range of single precision, in which numbers are kept. */
export function narrowed(value: number, text: string, column: string, where: () => string): number {
  if (Number.isFinite(Math.fround(value))) return value;
  throw new DataError(
    `${where()}: feature '${column}' is ${text}, which is beyond the range of single precision (3.4e38)`,
  );
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
