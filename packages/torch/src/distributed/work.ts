import { native } from '../native.js';
import { asDistributedError } from './distributedError.js';

/**
 * A collective in progress. Wait for every one, with one of the two; until then its tensors belong to it.
 *
 * @example
 * const work = group.allReduce(gradient);
 * otherWork();
 * work.wait(); // gradient is the sum over all ranks
 */
export interface Work<T> {
  /** What the collective gives. Blocks on the CPU until it is done; on a GPU the current stream waits for it instead. */
  wait(): T;
  /** The same, while the event loop continues; on a GPU it resolves when the GPU is through. */
  finished(): Promise<T>;
  /** Whether it is done, so that waiting takes no time. */
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
