/**
 * A share in percent with two digits; a dash for what is not defined.
 *
 * @example
 * percent(0.34212) // '34.21'
 */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : (100 * share).toFixed(2);
}
