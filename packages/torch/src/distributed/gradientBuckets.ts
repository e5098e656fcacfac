import { native } from '../native/native.js';
import { places } from '../tensor/handle.js';
import type { Tensor } from '../tensor/tensor.js';
import { namingRank } from './distributedError.js';
import type { ProcessGroup } from './processGroup.js';

const mebibyte = 2 ** 20;

export interface GradientBucketsOptions {
  /** Size at which a bucket is sent. Default 25 MiB. */
  readonly bytes?: number;
  /** Size of the first bucket, smaller so that sending starts early. Default 1 MiB. */
  readonly firstBytes?: number;
}

/**
 * Sums the parameters' gradients over all ranks while backward is still computing others. The sums live in the buckets'
 * memory, and the gradients become views of it. The buckets depend only on the parameters' order and sizes, so a sum is
 * always taken in the same order.
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

  /** Starts summing gradients as they are computed; call it before a step's last backward. */
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
