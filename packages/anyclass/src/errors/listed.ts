import { inOneLine } from './escaped.js';

/**
 * Lists names in a message: the first few, and how many more there are.
 *
 * @example
 * listed(['a', 'b', 'c', 'd'], 2) // 'a, b and 2 more'
 */
export function listed(names: readonly string[], most = 6): string {
  const shown = names.slice(0, most).map(inOneLine).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
