// One request, with its redirects followed by hand: the token goes to the host that was asked for and to no other.

import { messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';

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

/** What may go better the next time. */
export class TemporaryProblem extends Error {
  override readonly name = 'TemporaryProblem';
  /** Seconds that the server asked to wait for. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter?: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** The server has no such file. */
export class NotOnServer extends UserError {
  /** Of a hub: the commit that lacks it. */
  readonly commit: string | null;

  constructor(message: string, commit: string | null) {
    super(message);
    this.commit = commit;
  }
}

const mostRedirects = 8;

/**
 * The response at the end of all redirects: a success, or 416.
 *
 * @throws TemporaryProblem where it is worth another try, else a UserError
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
      throw new UserError(`${shown(url)} leads to ${shown(next)}, which is not encrypted`);
    }
    url = next;
  }
  throw new UserError(`${shown(first)} leads in a circle: ${mostRedirects} redirects`);
}

/** An address for messages, without what signs it. */
export function shown(url: URL | string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

const localHosts = ['localhost', '127.0.0.1', '[::1]'];

/** The address, checked: encrypted, except for this machine's own servers and for a hub that the user named so. */
export function encryptedAddress(address: string): URL {
  const url = webAddress(address);
  if (url.protocol === 'https:' || localHosts.includes(url.hostname)) return url;
  throw new UserError(`${address}: expected an address that begins with https:`);
}

function webAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new UserError(`'${address}' is not a web address`);
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
  return cause === undefined ? messageOf(error) : messageOf(cause);
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
  if (status === 401 || status === 403) {
    throw new UserError(`${said}: set HF_TOKEN to a token that may read it, if it is not public`);
  }
  if (status === 404) {
    throw new NotOnServer(`${said}: there is no such file or revision`, headers.get('x-repo-commit'));
  }
  throw new UserError(said);
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
