import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * The folder for what set-up builds and downloads: `ANYCLASS_HOME`, or `anyclass` in the user's cache folder. Deleting it costs
 * another set-up and nothing else.
 *
 * @example
 * homeFolder() // '/home/ada/.cache/anyclass'
 */
export function homeFolder(): string {
  const { ANYCLASS_HOME: own, XDG_CACHE_HOME: caches } = process.env;
  if (own) return resolve(own);
  // The XDG specification has relative paths ignored.
  return join(caches?.startsWith('/') ? caches : join(homedir(), '.cache'), 'anyclass');
}
