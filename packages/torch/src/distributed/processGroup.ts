// A group of processes and its collectives. All processes call the same functions in the same order.

import { native } from '../native/native.js';
import { place, places } from '../tensor/handle.js';
import { keep } from '../tensor/memory.js';
import { emptyLike, stack } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { type Work, workOf } from './work.js';

/** c10d's numbers for the operations. */
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
 * This process's membership in a group of processes; returned by {@link init}.
 *
 * @example
 * const group = await distributed.init();
 * group.allReduce(ones([2])).wait().toArray() // [4, 4] in each of four processes
 */
export class ProcessGroup implements Disposable {
  readonly rank: number;
  readonly worldSize: number;
  /** Rank among the processes on this machine. */
  readonly localRank: number;
  readonly localWorldSize: number;
  /** Backend for tensors on GPUs; tensors on the CPU always use Gloo. */
  readonly backend: 'gloo' | 'nccl';
  /** The addon's number for this group, which operators in other libraries take. */
  readonly number: number;

  constructor(number: number, { rank, worldSize, localRank, localWorldSize, backend }: GroupDescription) {
    this.number = number;
    this.rank = rank;
    this.worldSize = worldSize;
    this.localRank = localRank;
    this.localWorldSize = localWorldSize;
    this.backend = backend;
  }

  /** Reduces a tensor over all ranks, in place. */
  allReduce(tensor: Tensor, { operation = 'sum' }: ReduceOptions = {}): Work<Tensor> {
    const at = place(tensor, 'allReduce');
    return workOf(
      () => native.allReduce(this.number, at, operationNumbers[operation]),
      () => tensor,
    );
  }

  /** Copies one rank's tensor to every rank, in place. */
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

  /** Gathers the tensors of all ranks, in rank order. They must have the same shape and dtype. */
  allGather(tensor: Tensor): Work<Tensor[]> {
    const outputs = Array.from({ length: this.worldSize }, () => keep(emptyLike(tensor)));
    return workOf(
      () => native.allGather(this.number, places(outputs, 'allGather'), place(tensor, 'allGather')),
      () => outputs,
    );
  }

  /** Takes one tensor per rank, all of one shape; returns this rank's tensor reduced over all ranks. */
  reduceScatter(tensors: readonly Tensor[], options: ReduceOptions = {}): Work<Tensor> {
    if (tensors.length !== this.worldSize) {
      throw new RangeError(
        `reduceScatter: ${tensors.length} tensors; expected ${this.worldSize}, one per rank`,
      );
    }
    // Gloo has no reduce-scatter in libtorch 1.13, and newer versions compose it like this.
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

  /** Leaves a text for other ranks in the group's store. */
  leaveNote(key: string, text: string): void {
    native.storeSet(this.number, `note/${key}`, text);
  }

  /** Returns a text that some rank left, or undefined if none did. */
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
