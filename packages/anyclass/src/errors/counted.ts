/**
 * Formats a count with its noun.
 *
 * @example
 * counted(1, 'class') // '1 class'
 * counted(2407, 'class') // '2,407 classes'
 */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${inflected(count, noun)}`;
}

/** Wordings for one and for several, as `inflected` takes them. */
export type Words = readonly [one: string, many: string];

/**
 * Returns the words that follow a count, also if more than the noun changes with it.
 *
 * @example
 * inflected(1, 'file') // 'file'
 * inflected(0, 'file is', 'files are') // 'files are'
 */
export function inflected(count: number, one: string, many = pluralOf(one)): string {
  return count === 1 ? one : many;
}

function pluralOf(noun: string): string {
  // 'batches', but 'epochs'.
  if (/(s|x|[^o]ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
