// The bytes of a file from some position on, or from the start if the server has another version by now or does not
// support ranges.

import { DownloadError, TemporaryProblem } from './problems.js';
import { readAhead } from './readAhead.js';
import { networkReason, type Request, request } from './request.js';
import type { Patience } from './retrying.js';

export interface BodySource extends Pick<Request, 'address' | 'token'> {
  readonly title: string;
  readonly size: number | undefined;
  readonly patience: Pick<Patience, 'silence'>;
  readonly signal?: AbortSignal | undefined;
}

export interface Body {
  /** Position of the first byte in the response: the one requested, or 0. */
  readonly start: number;
  /** Size of the whole file, if the server says. */
  readonly size: number | undefined;
  /** A strong ETag, with which more bytes of this same version can be requested. */
  readonly version: string | undefined;
  parts(): AsyncGenerator<Uint8Array>;
}

/**
 * Requests a file from `start` on.
 *
 * @param version version of the bytes before `start`; with `If-Range`, the server sends the whole file if it has another
 */
export async function openBody(
  source: BodySource,
  { start, version }: { readonly start: number; readonly version: string | null | undefined },
): Promise<Body> {
  const silence = silenceTimer(source);
  const headers: Record<string, string> = start === 0 ? {} : { range: `bytes=${start}-` };
  if (start > 0 && version) headers['if-range'] = version;
  try {
    const response = await request({ ...source, method: 'GET', headers, signal: silence.signal });
    const found = strongTag(response.headers.get('etag'));
    const isPart = response.status === 206;
    const range = isPart ? contentRange(response.headers.get('content-range')) : undefined;
    const isOther = version !== null && found !== undefined && found !== version;
    if (start > 0 && (response.status === 416 || (isPart && (range?.start !== start || isOther)))) {
      await response.body?.cancel();
      silence.stop();
      return await openBody(source, { start: 0, version: undefined });
    }
    refuseOtherContent(source, response);
    const size = isPart ? range?.size : contentLength(response);
    if (source.size !== undefined && size !== undefined && size !== source.size) {
      throw new DownloadError(`${source.title}: the server has ${size} bytes; expected ${source.size}`);
    }
    return {
      start: isPart ? start : 0,
      size,
      version: found,
      parts: () => partsOf(response, silence, source),
    };
  } catch (error) {
    silence.stop();
    throw silence.isOver() ? silent(source) : error;
  }
}

async function* partsOf(
  { body }: Response,
  silence: SilenceTimer,
  source: BodySource,
): AsyncGenerator<Uint8Array> {
  try {
    if (body) yield* readAhead(body, silence.heard);
  } catch (error) {
    if (source.signal?.aborted) throw error;
    throw silence.isOver()
      ? silent(source)
      : new TemporaryProblem(`the connection broke: ${networkReason(error)}`);
  } finally {
    silence.stop();
  }
}

function silent({ patience }: BodySource): TemporaryProblem {
  return new TemporaryProblem(`the server was silent for ${patience.silence / 1000} s`);
}

interface SilenceTimer {
  readonly signal: AbortSignal;
  heard(): void;
  stop(): void;
  isOver(): boolean;
}

/** Aborts if nothing arrives for too long, or when the source's own signal aborts. */
function silenceTimer({ patience, signal }: BodySource): SilenceTimer {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), patience.silence);
  return {
    signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    heard: () => void timer.refresh(),
    stop: () => clearTimeout(timer),
    isOver: () => silence.signal.aborted && !signal?.aborted,
  };
}

/** A login page or a proxy answers with a web page instead of the file. */
function refuseOtherContent({ title }: BodySource, { status, headers }: Response): void {
  if (status === 416) throw new DownloadError(`${title}: the server says that the file is empty`);
  if (/^text\/html\b/i.test(headers.get('content-type') ?? '')) {
    throw new DownloadError(
      `${title}: the server sent a web page instead of the file; is there a login page or a proxy in between?`,
    );
  }
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding !== 'identity') {
    throw new DownloadError(
      `${title}: the server compressed the file (${encoding}), although it was asked not to`,
    );
  }
}

/** A weak tag does not promise the same bytes. */
function strongTag(tag: string | null): string | undefined {
  return tag === null || !/^"[^"]*"$/.test(tag) ? undefined : tag;
}

function contentRange(header: string | null): { readonly start: number; readonly size: number } | undefined {
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(header ?? '') ?? [];
  return start === undefined ? undefined : { start: Number(start), size: Number(size) };
}

function contentLength({ headers }: Response): number | undefined {
  const length = headers.get('content-length');
  return length === null ? undefined : Number(length);
}
