import { isAbsolute, relative } from 'node:path';
import { inOneLine } from '../errors/escaped.js';

/**
 * A path as somebody in the current folder would write it: relative if it is below that folder, otherwise
 * unchanged. Paths are made absolute early, but messages should show what the user knows.
 *
 * @example
 * shownPath('/home/ada/pipes/labels.csv') // 'labels.csv' in /home/ada/pipes
 */
export function shownPath(path: string): string {
  if (!isAbsolute(path)) return inOneLine(path);
  const below = relative('.', path);
  return inOneLine(below === '' || below === '..' || below.startsWith('../') ? path : below);
}
