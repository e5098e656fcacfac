import type { Stats } from 'node:fs';

/**
 * What a path leads to if it is neither a file nor a folder. Opening or reading such a thing may wait for ever, or
 * never end.
 *
 * @example
 * unusualKind(statSync('/dev/zero')) // 'a device'
 */
export function unusualKind(found: Stats): string | undefined {
  if (found.isFIFO()) return 'a named pipe';
  if (found.isSocket()) return 'a socket';
  return found.isCharacterDevice() || found.isBlockDevice() ? 'a device' : undefined;
}
