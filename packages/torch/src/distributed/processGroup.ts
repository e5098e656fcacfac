// A group of processes, and what they compute together. All of them call the same functions in the same order.

import { keep } from '../memory.js';
import { native } from '../native.js';
import { emptyLike, stack } from '../operators.generated.js';
import { place, places, type Tensor } from '../tensor.js';
import { type Work, workOf } from './work.js';

/** As c10d numbers them. */
const operationNumbers = { sum: 0, product: 2, min: 3, max: 4 } as const;

export type ReduceOperation = keyof typeof operationNumbers;

export interface ReduceOptions {
  readonly operation?: ReduceOperation;
}

export interface GroupDescription {
  readonly rank: number;
  readonly worldSize: number;
  readonly localRank: number;
  readonly localWorldSize: number;
  readonly backend: 'gloo' | 'nccl';
}

/**
 * This process among others, as {@link init} gives it.
 *
 * @example
 * const group = await distributed.init();
 * group.allReduce(ones([2])).wait().toArray() // [4, 4] in each of four processes
 */
export class ProcessGroup implements Disposable {
  readonly rank: number;
  readonly worldSize: number;
  /** Among the processes of this machine. */
  readonly localRank: number;
  readonly localWorldSize: number;
  /** What tensors on GPUs go through; those on the CPU always take Gloo. */
  readonly backend: 'gloo' | 'nccl';
  /** The addon's number for it, which operators of other libraries take. */
  readonly number: number;

  constructor(number: number, { rank, worldSize, localRank, localWorldSize, backend }: GroupDescription) {
    this.number = number;
    this.rank = rank;
    this.worldSize = worldSize;
    this.localRank = localRank;
    this.localWorldSize = localWorldSize;
    this.backend = backend;
  }

  /** Reduces a tensor over all ranks, in its own memory. */
  allReduce(tensor: Tensor, { operation = 'sum' }: ReduceOptions = {}): Work<Tensor> {
    const at = place(tensor, 'allReduce');
    return workOf(
      () => native.allReduce(this.number, at, operationNumbers[operation]),
      () => tensor,
    );
  }

  /** Gives every rank the tensor of one of them, in its own memory. */
  broadcast(tensor: Tensor, { source = 0 }: { readonly source?: number } = {}): Work<Tensor> {
    if (!(Number.isInteger(source) && source >= 0 && source < this.worldSize)) {
      throw new RangeError(`broadcast: source is ${source}; expected a rank from 0 to ${this.worldSize - 1}`);
    }
    const at = place(tensor, 'broadcast');
    return workOf(
      () => native.broadcast(this.number, at, source),
      () => tensor,
    );
  }

  /** The tensors of all ranks, which must be of one shape and type, in the order of the ranks. */
  allGather(tensor: Tensor): Work<Tensor[]> {
    const outputs = Array.from({ length: this.worldSize }, () => keep(emptyLike(tensor)));
    return workOf(
      () => native.allGather(this.number, places(outputs, 'allGather'), place(tensor, 'allGather')),
      () => outputs,
    );
  }

  /** Of tensors of one shape, one for each rank: this rank's, reduced over all ranks. */
  reduceScatter(tensors: readonly Tensor[], options: ReduceOptions = {}): Work<Tensor> {
    if (tensors.length !== this.worldSize) {
      throw new RangeError(
        `reduceScatter: ${tensors.length} tensors; expected ${this.worldSize}, one a rank`,
      );
    }
    // Gloo has no reduce-scatter in libtorch 1.13, and newer ones compose it in this way.
    const all = stack([...tensors]);
    const work = this.allReduce(all, options);
    const own = () => all.at(this.rank).clone();
    return {
      wait: () => {
        work.wait();
        return own();
      },
      finished: async () => {
        await work.finished();
        return own();
      },
      get isDone() {
        return work.isDone;
      },
    };
  }

  /** Done when all ranks have called it. */
  barrier(): Work<void> {
    return workOf(
      () => native.barrier(this.number),
      () => undefined,
    );
  }

  /** Leaves a text for other ranks in the store that they met at. */
  leaveNote(key: string, text: string): void {
    native.storeSet(this.number, `note/${key}`, text);
  }

  /** A text that some rank left; undefined where none did. */
  note(key: string): string | undefined {
    return native.storeGet(this.number, `note/${key}`) ?? undefined;
  }

  /** Closes the connections, so that the other ranks notice at once. Notes can still be left and read. */
  hangUp(): void {
    native.groupHangUp(this.number);
  }

  /** Closes the connections and forgets the store. */
  dispose(): void {
    native.groupDispose(this.number);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
