// Numbers as readers see them.

/**
 * Returns a count with separators.
 *
 * @example
 * countText(12345.4) // '12,345'
 */
export function countText(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/**
 * Returns a share in percent, without the sign.
 *
 * @example
 * percentText(0.7136) // '71.4'
 */
export function percentText(share: number, digits = 1): string {
  return (100 * share).toFixed(digits);
}

/**
 * Returns a percentage that a person chose, such as a budget, without needless zeros.
 *
 * @example
 * shortPercent(0.05) // '5%'
 */
export function shortPercent(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}

/** Returns a number with at most four significant digits. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/**
 * Returns a difference in percentage points with its sign; the minus sign is as wide as the plus.
 *
 * @example
 * signedPoints(-0.083) // '−8.3'
 */
export function signedPoints(share: number, digits = 1): string {
  const text = (100 * share).toFixed(digits);
  if (Number(text) === 0) return text.replace('-', '');
  return share > 0 ? `+${text}` : text.replace('-', '−');
}
