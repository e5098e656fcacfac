import { isAbsolute, relative } from 'node:path';

/**
 * A path as somebody in the current folder would write it: relative where it is below that folder, else as it is. Paths are
 * made absolute early, and messages should still show what the user knows.
 *
 * @example
 * shownPath('/home/ada/pipes/labels.csv') // 'labels.csv' in /home/ada/pipes
 */
export function shownPath(path: string): string {
  if (!isAbsolute(path)) return path;
  const below = relative('.', path);
  return below === '' || below === '..' || below.startsWith('../') ? path : below;
}
