/** A download that cannot be had, or not now; the message says why. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  /** What the server answered, where it did. */
  readonly answer: ServerAnswer | undefined;

  constructor(message: string, answer?: ServerAnswer) {
    super(message);
    this.answer = answer;
  }
}

export interface ServerAnswer {
  readonly status: number;
  readonly headers: Headers;
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
