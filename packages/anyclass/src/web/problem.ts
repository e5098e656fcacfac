// Errors of the HTTP interface, as in RFC 9457.

/** What can go wrong with a request; the API page explains each. */
export const problems = {
  'bad-request': { status: 400, title: 'The request could not be understood' },
  unauthorized: { status: 401, title: 'A bearer token is required' },
  'foreign-host': { status: 403, title: 'Host not allowed' },
  'foreign-origin': { status: 403, title: 'Origin not allowed' },
  'not-found': { status: 404, title: 'Not found' },
  'wrong-method': { status: 405, title: 'Method not allowed' },
  'too-slow': { status: 408, title: 'The request arrives too slowly' },
  'too-large': { status: 413, title: 'The request exceeds a limit' },
  'wrong-type': { status: 415, title: 'Unsupported content type' },
  unreadable: { status: 422, title: 'The image or row could not be read' },
  'not-possible': { status: 422, title: 'The request could not be carried out' },
  'queue-full': { status: 429, title: 'The queue is full' },
  'client-left': { status: 499, title: 'The client disconnected' },
  internal: { status: 500, title: 'Internal error' },
  deadline: { status: 503, title: 'Deadline exceeded' },
  unavailable: { status: 503, title: 'Not ready' },
} as const;

export type ProblemKind = keyof typeof problems;

/** What a client is told about a problem. */
export interface ProblemText {
  readonly kind: ProblemKind;
  readonly message: string;
  /** Seconds after which the client should try again. */
  readonly retryAfter?: number | undefined;
}

/** Characters of a detail, which may quote the request. */
const longestDetail = 1000;

/**
 * A problem with a request, reported to its client.
 *
 * @example
 * throw new Problem('too-large', 'the request has 40 images; the limit is 32');
 */
export class Problem extends Error implements ProblemText {
  override readonly name: string;
  readonly kind: ProblemKind;
  readonly retryAfter: number | undefined;

  constructor(kind: ProblemKind, detail: string, { retryAfter }: Pick<ProblemText, 'retryAfter'> = {}) {
    // Without a stack trace: a full server creates thousands of problems per second, and nobody reads their
    // traces.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail.length > longestDetail ? `${detail.slice(0, longestDetail)}…` : detail);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Problem';
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/**
 * Returns what to tell the client about an error: a problem, or what Fastify refuses. All others are ours, and
 * their reason is not for the client.
 */
export function problemOf(error: unknown): ProblemText {
  if (error instanceof Problem) return error;
  if (error instanceof Error && 'statusCode' in error && 'code' in error) {
    if (error.code === 'FST_ERR_BAD_URL')
      return { kind: 'bad-request', message: 'the path is not valid percent-encoded UTF-8' };
    if (Number(error.statusCode) < 500)
      return { kind: 'bad-request', message: error.message.slice(0, longestDetail) };
  }
  return { kind: 'internal', message: 'the request failed; the server log has the reason' };
}

/**
 * Returns the body of the answer. Clients of the Open Inference Protocol read `error`.
 *
 * @param docs the page that explains each kind, if the server has one
 */
export function problemBody({ kind, message }: ProblemText, requestId: string, docs: string | undefined) {
  const { status, title } = problems[kind];
  const type = docs === undefined ? {} : { type: `${docs}#problem-${kind}` };
  return { ...type, title, status, detail: message, requestId, error: message };
}
