import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * The folder for what setup builds and for downloads: `ANYCLASS_HOME`, or `anyclass` in the user's cache folder. Deleting it costs
 * another setup and other downloads, and nothing else.
 *
 * @example
 * homeFolder() // '/home/ada/.cache/anyclass'
 */
export function homeFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { ANYCLASS_HOME: own, XDG_CACHE_HOME: caches } = environment;
  // A shell would have replaced the tilde; a container's file of variables does not.
  if (own?.trim()) return resolve(own.trim().replace(/^~(?=\/|$)/, homedir()));
  // The XDG specification has relative paths ignored.
  return join(caches?.startsWith('/') ? caches : join(homedir(), '.cache'), 'anyclass');
}
