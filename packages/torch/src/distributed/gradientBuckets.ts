import { native } from '../native.js';
import { places, type Tensor } from '../tensor.js';
import { namingRank } from './distributedError.js';
import type { ProcessGroup } from './processGroup.js';

const mebibyte = 2 ** 20;

export interface GradientBucketsOptions {
  /** A bucket is sent when it holds as much. Default 25 MiB. */
  readonly bytes?: number;
  /** Of the first bucket, whose gradients come first. Default 1 MiB. */
  readonly firstBytes?: number;
}

/**
 * Sums the gradients of parameters over all ranks while backward still computes others, in the memory of buckets, which the
 * gradients then are views of. The buckets follow from the parameters' order and sizes alone, so a sum is always taken in
 * the same order.
 *
 * @example
 * const buckets = new GradientBuckets(group, network.parameters());
 * firstHalf().backward(); // stays on this rank
 * buckets.prepare();
 * secondHalf().backward();
 * buckets.finish(); // every gradient is now the sum over all ranks
 */
export class GradientBuckets implements Disposable {
  readonly #number: number;

  constructor(group: ProcessGroup, parameters: readonly Tensor[], options: GradientBucketsOptions = {}) {
    const { bytes = 25 * mebibyte, firstBytes = mebibyte } = options;
    const trained = parameters.filter((parameter) => parameter.requiresGrad);
    this.#number = native.bucketsCreate(group.number, places(trained, 'GradientBuckets'), firstBytes, bytes);
  }

  /** Bytes of each bucket, in the order in which they are sent. */
  get sizes(): readonly number[] {
    return native.bucketsSizes(this.#number);
  }

  /** From here on gradients are summed as they come: call it before a step's last backward. */
  prepare(): void {
    native.bucketsPrepare(this.#number);
  }

  /** Waits for all sums. A parameter that no backward reached has a gradient of zeros. */
  finish(): void {
    namingRank(() => native.bucketsFinish(this.#number));
  }

  dispose(): void {
    native.bucketsDispose(this.#number);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
