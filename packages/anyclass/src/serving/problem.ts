// Errors of the HTTP interface, in the form of RFC 9457.

/** What can be wrong with a request; each has its place in the API page. */
export const problems = {
  'bad-request': { status: 400, title: 'The request could not be understood' },
  unauthorized: { status: 401, title: 'A bearer token is needed' },
  'foreign-host': { status: 403, title: 'This server does not answer for that host' },
  'foreign-origin': { status: 403, title: 'Pages of that origin may not call this server' },
  'not-found': { status: 404, title: 'There is no such address or model' },
  'wrong-method': { status: 405, title: 'The address does not take that method' },
  'slow-request': { status: 408, title: 'The request took too long to arrive' },
  'too-large': { status: 413, title: 'The request is over a limit' },
  'wrong-type': { status: 415, title: 'The server does not read that type of content' },
  unreadable: { status: 422, title: 'The image could not be read' },
  'queue-full': { status: 429, title: 'The server has as much work as it may hold' },
  'client-left': { status: 499, title: 'The client left before the answer' },
  internal: { status: 500, title: 'The server failed' },
  deadline: { status: 503, title: 'The request was not answered in time' },
  unavailable: { status: 503, title: 'The server or the model is not ready' },
} as const;

export type ProblemKind = keyof typeof problems;

/**
 * Something wrong with a request, to be told to its client.
 *
 * @example
 * throw new Problem('too-large', 'the request has 40 images; at most 32 are taken at a time');
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly kind: ProblemKind;
  /** Seconds after which it makes sense to try again. */
  readonly retryAfter: number | undefined;

  constructor(kind: ProblemKind, detail: string, { retryAfter }: { readonly retryAfter?: number } = {}) {
    super(detail);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }

  get status(): (typeof problems)[ProblemKind]['status'] {
    return problems[this.kind].status;
  }
}

/** The body of the answer. `error` is where clients of the Open Inference Protocol look. */
export function problemBody({ kind, message }: Problem, requestId: string) {
  const { status, title } = problems[kind];
  return { type: `/docs#problem-${kind}`, title, status, detail: message, requestId, error: message };
}
