import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem.js';

/**
 * A request's body, as long as it is within the limit; what a client declares too long is not read at all.
 *
 * @throws Problem where it is too long, or the client left
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw tooLong(declared, limit);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const done = (settle: () => void) => {
      request.off('data', onData);
      settle();
    };
    const onData = (part: Buffer) => {
      length += part.length;
      if (length > limit) done(() => reject(tooLong(length, limit)));
      else parts.push(part);
    };
    request.on('data', onData);
    request.once('end', () =>
      done(() => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts, length))),
    );
    request.once('close', () => done(() => reject(new Problem('client-left', 'the request was cut off'))));
    request.once('error', () => done(() => reject(new Problem('client-left', 'the request was cut off'))));
  });
}

function tooLong(length: number, limit: number): Problem {
  const megabytes = (bytes: number) => Number((bytes / 1e6).toPrecision(3));
  return new Problem(
    'too-large',
    `the request has ${megabytes(length)} MB or more; at most ${megabytes(limit)} MB are read`,
  );
}
