import type { IncomingMessage } from 'node:http';
import { Problem } from '../requests/problem.js';

/**
 * Reads a request's body up to the limit; a body that is declared to be longer is not read at all.
 *
 * @throws Problem if the body is too long or the client disconnected
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw tooLong(declared, limit);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const onData = (part: Buffer) => {
      length += part.length;
      if (length <= limit) parts.push(part);
      else settle(() => reject(tooLong(length, limit)));
    };
    const onEnd = () => settle(() => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts, length)));
    const onCut = () => settle(() => reject(new Problem('client-left', 'the request was interrupted')));
    const settle = (how: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onCut).off('error', onCut);
      // Later errors do not matter, but an error without a listener would end the process.
      request.on('error', () => {});
      how();
    };
    request.on('data', onData).on('end', onEnd).on('close', onCut).on('error', onCut);
  });
}

function tooLong(length: number, limit: number): Problem {
  const megabytes = (bytes: number) => Number((bytes / 1e6).toPrecision(3));
  return new Problem(
    'too-large',
    `the body has at least ${megabytes(length)} MB; the limit is ${megabytes(limit)} MB`,
  );
}
