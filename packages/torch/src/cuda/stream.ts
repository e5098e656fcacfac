// Streams and events: concurrent queues of GPU work, and the points where they synchronize.

import { native } from '../native/native.js';
import { refusePromise } from '../tensor/memory.js';
import { requireCuda } from './device.js';

/**
 * A queue of GPU work in addition to the default one.
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

  /** Makes all work added to this stream from now on wait for the event. */
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
  /** Internal to this package. */
  readonly number: number;

  constructor() {
    requireCuda();
    this.number = native.eventCreate();
  }

  /** Marks the current stream's position. */
  record(): this {
    native.eventRecord(this.number);
    return this;
  }

  /** Waits until the GPU has passed it. */
  synchronize(): void {
    native.eventSynchronize(this.number);
  }

  /** Whether the GPU has passed it; does not wait. */
  get isPassed(): boolean {
    return native.eventPassed(this.number);
  }

  millisecondsTo(end: CudaEvent): number {
    return native.eventElapsed(this.number, end.number);
  }

  [Symbol.dispose](): void {
    native.eventDispose(this.number);
  }
}
