import { native } from '../native/native.js';
import { asDistributedError } from './distributedError.js';

/**
 * A collective in progress. Always call `wait` or `finished`; until then, do not touch its tensors.
 *
 * @example
 * const work = group.allReduce(gradient);
 * otherWork();
 * work.wait(); // gradient is the sum over all ranks
 */
export interface Work<T> {
  /** Returns the result. On the CPU it blocks until the collective is done; on a GPU the current stream waits instead. */
  wait(): T;
  /** Like `wait`, without blocking the event loop; on a GPU it resolves when the GPU is done. */
  finished(): Promise<T>;
  /** Whether it is done, so that waiting returns at once. */
  readonly isDone: boolean;
}

export function workOf<T>(start: () => number, result: () => T): Work<T> {
  let number: number;
  try {
    number = start();
  } catch (error) {
    throw asDistributedError(error);
  }
  return {
    wait() {
      try {
        native.workWait(number);
      } catch (error) {
        throw asDistributedError(error);
      }
      return result();
    },
    async finished() {
      try {
        await native.workFinished(number);
      } catch (error) {
        throw asDistributedError(error);
      }
      return result();
    },
    get isDone() {
      return native.workIsDone(number);
    },
  };
}
