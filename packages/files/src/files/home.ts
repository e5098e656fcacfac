import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Returns the folder for native builds and downloads: `ANYCLASS_HOME`, or `anyclass` in the user's cache folder. It is
 * safe to delete; setup and downloads then run again.
 *
 * @example
 * homeFolder() // '/home/ada/.cache/anyclass'
 */
export function homeFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { ANYCLASS_HOME: own, XDG_CACHE_HOME: caches } = environment;
  // A shell expands the tilde, but a container's env file does not.
  if (own?.trim()) return resolve(own.trim().replace(/^~(?=\/|$)/, homedir()));
  // The XDG specification says to ignore relative paths.
  return join(caches?.startsWith('/') ? caches : join(homedir(), '.cache'), 'anyclass');
}
