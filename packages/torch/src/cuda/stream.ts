// Streams and events: work that a GPU does side by side, and the points at which it meets.

import { refusePromise } from '../memory.js';
import { native } from '../native.js';
import { requireCuda } from './device.js';

/**
 * A queue of GPU work beside the default one.
 *
 * @example
 * const copies = new CudaStream();
 * const next = copies.run(() => batch.to({ device: 'cuda', nonBlocking: true }));
 */
export class CudaStream {
  readonly #number: number;

  constructor() {
    requireCuda();
    this.#number = native.streamCreate();
  }

  /** Runs a synchronous function whose GPU work goes to this stream. */
  run<T>(fn: () => T): T {
    const before = native.streamEnter(this.#number);
    try {
      const result = fn();
      refusePromise(result, 'CudaStream.run');
      return result;
    } finally {
      native.streamEnter(before);
    }
  }

  /** What this stream is told from now on waits for the event. */
  waitFor(event: CudaEvent): void {
    native.streamWait(this.#number, event.number);
  }

  synchronize(): void {
    native.streamSynchronize(this.#number);
  }
}

/**
 * A point in a stream's work.
 *
 * @example
 * const start = new CudaEvent().record();
 * x.matmul(y);
 * const end = new CudaEvent().record();
 * end.synchronize();
 * start.millisecondsTo(end)
 */
export class CudaEvent implements Disposable {
  /** For this package alone. */
  readonly number: number;

  constructor() {
    requireCuda();
    this.number = native.eventCreate();
  }

  /** Marks where the current stream is. */
  record(): this {
    native.eventRecord(this.number);
    return this;
  }

  /** Waits until the GPU has passed it. */
  synchronize(): void {
    native.eventSynchronize(this.number);
  }

  millisecondsTo(end: CudaEvent): number {
    return native.eventElapsed(this.number, end.number);
  }

  [Symbol.dispose](): void {
    native.eventDispose(this.number);
  }
}
