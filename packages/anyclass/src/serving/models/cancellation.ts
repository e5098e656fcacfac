/**
 * Tells that nobody waits for an answer any more, and why. Every request has one, and an AbortController takes ten times as long to make.
 *
 * @example
 * const cancellation = new Cancellation();
 * cancellation.onCancel(() => queue.drop(image));
 * cancellation.cancel(new Problem('client-left', 'the client closed the connection'));
 */
export class Cancellation {
  #reason: Error | undefined;
  readonly #listeners: ((reason: Error) => void)[] = [];

  /** Undefined as long as somebody waits. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Only the first reason counts. */
  cancel(reason: Error): void {
    if (this.#reason) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener(reason);
  }

  /** Calls the listener when it is canceled: at once if it already is. */
  onCancel(listener: (reason: Error) => void): void {
    if (this.#reason) listener(this.#reason);
    else this.#listeners.push(listener);
  }

  throwIfCanceled(): void {
    if (this.#reason) throw this.#reason;
  }
}
