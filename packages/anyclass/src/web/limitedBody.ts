// Bodies that are small enough to be held whole.

import type { IncomingMessage } from 'node:http';
import { errorCode } from '@anyclass/files';
import { Problem } from './problem.js';

/**
 * Reads the body of a request.
 *
 * @throws Problem if it has more bytes than `longest`, or the client disconnected
 *
 * @example
 * const text = (await limitedBody(raw, 1 << 16)).toString('utf8');
 */
export async function limitedBody(incoming: IncomingMessage, longest: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    // A loop that is left would destroy the request, and with it the connection that its answer needs.
    for await (const part of incoming.iterator({ destroyOnReturn: false })) {
      if (!(part instanceof Uint8Array)) throw new Problem('bad-request', 'expected bytes');
      length += part.length;
      if (length > longest)
        throw new Problem('too-large', `the body has more than ${longest} bytes, the limit here`);
      parts.push(part);
    }
  } catch (error) {
    if (errorCode(error) === 'ECONNRESET') throw new Problem('client-left', 'the request was interrupted');
    throw error;
  }
  return Buffer.concat(parts);
}
