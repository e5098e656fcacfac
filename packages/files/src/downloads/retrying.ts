// Network work with retries.

import { setTimeout as sleep } from 'node:timers/promises';
import { DownloadError, TemporaryProblem } from './problems.js';

export interface Patience {
  /** How many tries in a row may fail without progress. */
  readonly tries: number;
  /** Milliseconds before the second try; each later pause is twice as long. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** The longest wait, in milliseconds, that a server may ask for. */
  readonly longestWait: number;
  /** Milliseconds after which a silent connection is dropped. */
  readonly silence: number;
}

export const defaultPatience: Patience = {
  tries: 6,
  firstPause: 500,
  longestPause: 15_000,
  longestWait: 300_000,
  silence: 30_000,
};

export interface RetryOptions {
  /** The name used in messages. */
  readonly title: string;
  readonly patience: Patience;
  readonly signal?: AbortSignal | undefined;
  readonly onNote?: ((text: string) => void) | undefined;
  /** Returns how far the work has come; a try that got further restarts the count of failures. */
  readonly progress?: () => number;
}

/**
 * Runs work until it succeeds. Pauses grow, with some randomness so that many clients do not retry at the same moment.
 * If a server says when to come back, that is honored.
 *
 * @throws DownloadError after the last try
 *
 * @example
 * await retrying(() => fileFacts(address), { title: 'config.json', patience: defaultPatience });
 */
export async function retrying<Result>(
  work: () => Promise<Result>,
  { title, patience, signal, onNote, progress = () => 0 }: RetryOptions,
): Promise<Result> {
  let failures = 0;
  let furthest = progress();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TemporaryProblem)) throw error;
      const reached = progress();
      failures = reached > furthest ? 1 : failures + 1;
      furthest = Math.max(furthest, reached);
      if (failures >= patience.tries)
        throw new DownloadError(`${title}: ${error.message}; tried ${failures} times`);
      const pause = pauseBefore(failures, error, title, patience);
      onNote?.(`${title}: ${error.message}; trying again in ${(pause / 1000).toFixed(1)} s`);
      await sleep(pause, undefined, { ...(signal && { signal }) });
    }
  }
}

function pauseBefore(
  failures: number,
  { message, retryAfter }: TemporaryProblem,
  title: string,
  { firstPause, longestPause, longestWait }: Patience,
): number {
  if (retryAfter !== undefined) {
    if (retryAfter * 1000 <= longestWait) return retryAfter * 1000;
    throw new DownloadError(
      `${title}: ${message} and asks to wait ${Math.ceil(retryAfter)} s; try again then`,
    );
  }
  const pause = Math.min(firstPause * 2 ** (failures - 1), longestPause);
  return pause * (0.75 + 0.5 * Math.random());
}
