/** A download failed; the message says why. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  /** The server's answer, if any. */
  readonly answer: ServerAnswer | undefined;

  constructor(message: string, answer?: ServerAnswer) {
    super(message);
    this.answer = answer;
  }
}

export interface ServerAnswer {
  /** Who answered, which may be another server that the first one redirects to. */
  readonly host: string;
  readonly status: number;
  readonly headers: Headers;
}

/** A problem that may go away on another try. */
export class TemporaryProblem extends Error {
  override readonly name = 'TemporaryProblem';
  /** Seconds that the server asked to wait, if it did. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter?: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}
