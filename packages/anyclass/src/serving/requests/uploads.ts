// Bodies on their way. A client that sends slowly, by intent or not, holds a connection and the bytes that
// have arrived, so slow bodies have a minimum rate, and each address has only so many of them.

import type { IncomingMessage } from 'node:http';
import { Problem } from '../../web/problem.js';
import type { Ticket } from './admission.js';

/** Milliseconds between looks at the bodies on their way. */
const interval = 500;

/** Milliseconds after which a body counts as slow. */
const slowAfter = 2000;

/** Milliseconds after which the minimum rate applies. */
const rateAfter = 5000;

/** Bytes of a part below which it is joined to the next ones, and bytes of the joined ones. */
const smallPart = 4096;
const joinedPart = 65_536;

export interface Uploads {
  /**
   * Receives a body and passes its parts on as they arrive.
   *
   * @throws Problem if the body is too long or too slow, or the client disconnected
   */
  receive(request: IncomingMessage, onPart: (part: Buffer) => void, options: UploadOptions): Promise<void>;
  /** Stops looking at the bodies. */
  close(): void;
}

export interface UploadLimits {
  /** Bytes per millisecond, which are kilobytes per second. */
  readonly minRate: number;
  /** Slow bodies per address. */
  readonly slowUploads: number;
}

/** The body of a request, which is still on its way. Only one of the two may be used. */
export interface RequestBody {
  whole(): Promise<Uint8Array>;
  /** Passes on the parts as they arrive; what `onPart` throws ends the request. */
  parts(onPart: (part: Buffer) => void): Promise<void>;
}

export interface UploadOptions {
  readonly ticket: Pick<Ticket, 'addBytes'>;
  /** The most bytes of the body; one that is declared to be longer is not read at all. */
  readonly limit: number;
}

interface Upload {
  readonly address: string;
  readonly startedAt: number;
  bytes: number;
  fail(problem: Problem): void;
}

/**
 * Creates the bookkeeping for bodies on their way.
 *
 * @example
 * const uploads = createUploads(settings);
 * await uploads.receive(request, (part) => parts.push(part), { ticket, limit: 32e6 });
 */
export function createUploads({ minRate, slowUploads }: UploadLimits): Uploads {
  const underway = new Set<Upload>();

  const look = () => {
    const now = performance.now();
    const slow = new Map<string, Upload[]>();
    for (const upload of underway) {
      const age = now - upload.startedAt;
      if (age > rateAfter && upload.bytes / age < minRate) upload.fail(tooSlow(minRate));
      else if (age > slowAfter) slow.set(upload.address, [...(slow.get(upload.address) ?? []), upload]);
    }
    for (const uploads of slow.values()) {
      if (uploads.length <= slowUploads) continue;
      const rate = ({ bytes, startedAt }: Upload) => bytes / (now - startedAt);
      uploads.sort((a, b) => rate(a) - rate(b));
      for (const upload of uploads.slice(0, uploads.length - slowUploads)) upload.fail(tooMany(slowUploads));
    }
  };
  const timer = setInterval(look, interval).unref();

  return {
    async receive(request, onPart, { ticket, limit }) {
      const declared = Number(request.headers['content-length'] ?? 0);
      if (declared > limit) throw tooLong(declared, limit);
      const { add, flush } = largeParts(onPart);
      await new Promise<void>((resolve, reject) => {
        const attempt = (work: () => void) => {
          try {
            work();
          } catch (error) {
            settle(() => reject(error));
          }
        };
        const onData = (part: Buffer) =>
          attempt(() => {
            upload.bytes += part.length;
            if (upload.bytes > limit) throw tooLong(upload.bytes, limit);
            ticket.addBytes(part.length);
            add(part);
          });
        const onEnd = () =>
          attempt(() => {
            flush();
            settle(resolve);
          });
        const onCut = () => settle(() => reject(new Problem('client-left', 'the request was interrupted')));
        const settle = (how: () => void) => {
          underway.delete(upload);
          request.off('data', onData).off('end', onEnd).off('close', onCut).off('error', onCut);
          how();
        };
        const upload: Upload = {
          address: request.socket.remoteAddress ?? '',
          startedAt: performance.now(),
          bytes: 0,
          fail: (problem) => settle(() => reject(problem)),
        };
        underway.add(upload);
        request.on('data', onData).on('end', onEnd).on('close', onCut).on('error', onCut);
      });
    },
    close: () => clearInterval(timer),
  };
}

/**
 * Joins small parts to larger ones: a client may send each byte as a part of its own, and every part takes a
 * hundred bytes more.
 */
function largeParts(onPart: (part: Buffer) => void) {
  let held: Buffer | undefined; // the first small part, which in most requests is the only one
  let joined: Buffer | undefined;
  let used = 0;
  const flush = () => {
    const part = joined?.subarray(0, used) ?? held;
    held = undefined;
    joined = undefined;
    used = 0;
    if (part) onPart(part);
  };
  const add = (part: Buffer) => {
    const isSmall = part.length < smallPart;
    if (isSmall && !held && !joined) {
      held = part;
    } else if (isSmall) {
      joined ??= Buffer.allocUnsafe(joinedPart);
      if (held) used = held.copy(joined);
      held = undefined;
      used += part.copy(joined, used);
      if (used > joinedPart - smallPart) flush();
    } else {
      flush();
      onPart(part);
    }
  };
  return { add, flush };
}

/** Receives a body as a whole. */
export async function wholeBody(
  uploads: Uploads,
  request: IncomingMessage,
  options: UploadOptions,
): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  await uploads.receive(request, (part) => parts.push(part), options);
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

function tooSlow(minRate: number): Problem {
  return new Problem('too-slow', `the body arrives at less than ${minRate} KB/s`);
}

function tooMany(slowUploads: number): Problem {
  return new Problem(
    'too-slow',
    `more than ${slowUploads} bodies from this address take longer than ${slowAfter / 1000} s`,
    { retryAfter: 1 },
  );
}

function tooLong(length: number, limit: number): Problem {
  const megabytes = (bytes: number) => Number((bytes / 1e6).toPrecision(3));
  return new Problem(
    'too-large',
    `the body has at least ${megabytes(length)} MB; the limit is ${megabytes(limit)} MB`,
  );
}
