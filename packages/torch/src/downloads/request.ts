// One request, with its redirects followed by hand: the token goes to the host that was asked for and to no other.

import { DownloadError, TemporaryProblem } from './problems.js';

export interface Request {
  readonly address: string;
  readonly method: 'GET' | 'HEAD';
  /** For the host of the address. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where to stop following: the response that leads to another host is then given itself. */
  readonly stayOnHost?: boolean;
  readonly signal?: AbortSignal;
}

const mostRedirects = 8;

/**
 * The response at the end of all redirects: a success, or 416.
 *
 * @throws TemporaryProblem where it is worth another try, else a DownloadError
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
        // Packed bytes would be of another length than the file.
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
      throw new DownloadError(`${shown(url)} leads to ${shown(next)}, which is not encrypted`);
    }
    url = next;
  }
  throw new DownloadError(`${shown(first)} leads in a circle: ${mostRedirects} redirects`);
}

/** An address for messages, without what signs it. */
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

/** Why a connection failed: `fetch` hides it in the cause. */
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
  throw new DownloadError(said, { status, headers });
}

/**
 * The seconds in a `Retry-After`, which is a number or a date.
 *
 * @example
 * waitAskedFor('Fri, 31 Jan 2025 12:00:10 GMT', Date.parse('2025-01-31T12:00:00Z')) // 10
 */
export function waitAskedFor(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
