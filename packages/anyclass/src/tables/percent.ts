/**
 * A fraction as a percentage with two decimals; a dash if undefined.
 *
 * @example
 * percent(0.34212) // '34.21'
 */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : (100 * share).toFixed(2);
}
