// One request, with redirects followed by hand, so that the token goes to the requested host and no other.

import { DownloadError, TemporaryProblem } from './problems.js';

export interface Request {
  readonly address: string;
  readonly method: 'GET' | 'HEAD';
  /** Bearer token, sent only to the host in the address. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Do not follow redirects to another host; return the redirecting response instead. */
  readonly stayOnHost?: boolean;
  readonly signal?: AbortSignal;
}

const mostRedirects = 8;

/**
 * Returns the response after all redirects: a success, or 416.
 *
 * @throws TemporaryProblem if another try may help, otherwise DownloadError
 */
export async function request({
  address,
  method,
  token,
  headers,
  stayOnHost,
  signal,
}: Request): Promise<Response> {
  const first = webAddress(address);
  let url = first;
  let hasLeft = false;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    hasLeft ||= url.origin !== first.origin;
    const response = await fetched(url, {
      method,
      redirect: 'manual',
      headers: {
        ...headers,
        // Compressed bytes would not have the file's length.
        'accept-encoding': 'identity',
        'user-agent': `anyclass; node/${process.versions.node}`,
        ...(token !== undefined && !hasLeft && { authorization: `Bearer ${token}` }),
      },
      ...(signal && { signal }),
    });
    const next = locationOf(response, url);
    if (next === undefined) return checked(response, url);
    if (stayOnHost && next.origin !== first.origin) return response;
    await response.body?.cancel();
    if (url.protocol === 'https:' && next.protocol !== 'https:') {
      throw new DownloadError(`${shown(url)} redirects to ${shown(next)}, which is not encrypted`);
    }
    url = next;
  }
  throw new DownloadError(`${shown(first)} redirects more than ${mostRedirects} times`);
}

/** Returns an address for messages, without the query string, which may hold a signature. */
function shown(url: URL | string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function webAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new DownloadError(`'${address}' is not a web address`);
}

async function fetched(url: URL, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new TemporaryProblem(`${url.host} cannot be reached: ${networkReason(error)}`);
  }
}

/** Returns why a connection failed, which `fetch` hides in the error's cause. */
export function networkReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AggregateError) return networkReason(cause.errors[0]);
  const shownError = cause ?? error;
  return shownError instanceof Error ? shownError.message : String(shownError);
}

function locationOf({ status, headers }: Response, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const location = headers.get('location');
  return location === null ? undefined : webAddress(new URL(location, from).href);
}

function checked(response: Response, url: URL): Response {
  const { status, headers } = response;
  if (response.ok || status === 416) return response;
  void response.body?.cancel();
  const said = `${shown(url)} answered ${status}${response.statusText ? ` ${response.statusText}` : ''}`;
  if (status === 429 || status === 408 || status >= 500) {
    throw new TemporaryProblem(said, waitAskedFor(headers.get('retry-after')));
  }
  throw new DownloadError(said, { host: url.host, status, headers });
}

/**
 * Returns the seconds to wait according to `Retry-After`, which is a number or a date.
 *
 * @example
 * waitAskedFor('Fri, 31 Jan 2025 12:00:10 GMT', Date.parse('2025-01-31T12:00:00Z')) // 10
 */
export function waitAskedFor(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
