// How much more memory the process may map, if it has a limit (`ulimit -v`).

import { readFileSync } from 'node:fs';

export interface AddressSpace {
  /** In bytes. */
  readonly limit: number;
  readonly left: number;
}

/**
 * Returns the address space limit and what is left of it; undefined if there is no limit or it is unknown.
 *
 * @example
 * addressSpace() // { limit: 4096000000, left: 3289000000 } after `ulimit -v 4000000`
 */
function addressSpace(): AddressSpace | undefined {
  try {
    const [, limit] = /^Max address space\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    const [, used] = /^VmSize:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (limit === undefined || used === undefined) return undefined;
    return { limit: Number(limit), left: Math.max(0, Number(limit) - 1024 * Number(used)) };
  } catch {
    return undefined;
  }
}

/**
 * Returns a message if less address space is left than needed, and undefined if there is enough.
 *
 * @example
 * lacksAddressSpace(2e9) // 'the memory limit of the process (ulimit -v, 1,024 MB) leaves 296 MB of the 2,000 MB needed: raise it'
 */
export function lacksAddressSpace(needed: number): string | undefined {
  const space = addressSpace();
  if (space === undefined || space.left >= needed) return undefined;
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en-US')} MB`;
  return `the memory limit of the process (ulimit -v, ${megabytes(space.limit)}) leaves ${megabytes(space.left)} of the ${megabytes(needed)} needed: raise it`;
}
