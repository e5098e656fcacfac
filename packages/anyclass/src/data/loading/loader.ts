import { availableParallelism } from 'node:os';
import type { Quarantined } from '../../events/runSummary.js';
import type { Dataset } from '../dataset.js';
import { createQuarantine } from '../images/quarantine.js';
import { type InputSource, inputBytes } from '../inputs.js';
import { limiter, settleAll } from './limiter.js';
import { type BatchPlan, checkPlan, epochOrder, largestRows, rowsOfStep, stepsPerEpoch } from './order.js';

export interface LoaderOptions extends Partial<Omit<BatchPlan, 'rows' | 'batchSize'>> {
  readonly rows: Int32Array;
  /** Over all ranks together. */
  readonly batchSize: number;
  /** Images asked for at once. Default: two per core, so that a decoder always has the next one ready. */
  readonly threads?: number;
  /** Batches held or being made, the one in use among them: what bounds the memory. Default 3. */
  readonly prefetch?: number;
  /** An unreadable image is an error instead of being quarantined. */
  readonly strict?: boolean;
}

/**
 * A batch in plain memory. Images are N x height x width x channels: that is how decoders write them and how the cache
 * holds them, so nothing is rearranged on the CPU; on the device a permuted view of it is an NCHW tensor in
 * channels-last order, which convolutions want. Of feature vectors they are the bytes of N x features floats.
 */
export interface Batch {
  readonly epoch: number;
  readonly step: number;
  /** Instances in it: fewer than asked for (even none) where images are quarantined, or in a last batch. */
  readonly size: number;
  readonly images: Uint8Array;
  /** N x classes: 1 present, 0 absent, a number between, or NaN where unknown. */
  readonly targets: Float32Array;
  /** Row of the dataset of each instance. */
  readonly indices: Int32Array;
  /** Hand the memory back to be used again: `using batch`. */
  [Symbol.dispose](): void;
}

export interface Loader {
  readonly stepsPerEpoch: number;
  /** The batches of an epoch, from any step on. Ending the loop, or the signal, stops all work and leaves nothing open. */
  epoch(
    epoch: number,
    options?: { readonly startStep?: number; readonly signal?: AbortSignal },
  ): AsyncGenerator<Batch>;
  quarantined(): Quarantined[];
}

/**
 * Batches of a dataset. What is in a batch follows from (seed, epoch, step) alone, not from threads or timing, and the
 * next batches are made while one is used, never more than `prefetch`.
 *
 * @example
 * const loader = createLoader(dataset, decodedPixels(dataset.images, format), { rows: dataset.splits.train, batchSize: 256 });
 * for await (using batch of loader.epoch(0)) train(batch.images, batch.targets);
 */
export function createLoader(dataset: Dataset, inputs: InputSource, options: LoaderOptions): Loader {
  const {
    shuffle = false,
    seed = 0,
    dropLast = false,
    rank = 0,
    world = 1,
    parts = 1,
    threads = 2 * availableParallelism(),
    prefetch = 3,
    strict = false,
  } = options;
  const plan: BatchPlan = {
    rows: options.rows,
    batchSize: options.batchSize,
    shuffle,
    seed,
    dropLast,
    rank,
    world,
    parts,
  };
  checkPlan(plan);
  if (!(threads >= 1 && prefetch >= 1)) throw new RangeError('threads and prefetch are 1 or more');
  const limited = limiter(threads);
  const quarantine = createQuarantine(dataset.names, { strict });
  const stride = inputBytes(inputs.format);
  const classes = dataset.classes.length;
  const steps = stepsPerEpoch(plan);
  const spare: Uint8Array[] = [];

  // All of them, even after an error: nothing may still write into a batch that was given up.
  const readEach = (rows: Int32Array, memory: Uint8Array, good: Uint8Array, stopped: AbortSignal) =>
    settleAll(
      Array.from(rows, (row, i) =>
        limited(async () => {
          if (stopped.aborted) throw stopped.reason;
          try {
            await inputs.readInto(row, memory, i * stride);
            good[i] = 1;
          } catch (error) {
            quarantine.add(row, error);
          }
        }),
      ),
    );

  const load = async (
    epoch: number,
    step: number,
    rows: Int32Array,
    stopped: AbortSignal,
  ): Promise<Batch> => {
    const memory = spare.pop() ?? new Uint8Array(largestRows(plan) * stride);
    const good = new Uint8Array(rows.length);
    if (await inputs.readAll?.(rows, memory)) good.fill(1);
    else await readEach(rows, memory, good, stopped);
    const size = closeGaps(memory, good, stride);
    const indices = rows.filter((_, i) => good[i] === 1);
    const targets = new Float32Array(size * classes);
    indices.forEach((row, i) => {
      dataset.labels.copyRow(row, targets, i * classes);
    });
    let released = false;
    return {
      epoch,
      step,
      size,
      images: memory.subarray(0, size * stride),
      targets,
      indices,
      [Symbol.dispose]() {
        if (!released && spare.length < prefetch) spare.push(memory);
        released = true;
      },
    };
  };

  async function* batches(
    epoch: number,
    startStep: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Batch> {
    signal?.throwIfAborted();
    const order = epochOrder(plan, epoch);
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const ahead: Promise<Batch>[] = [];
    let next = startStep;
    try {
      for (;;) {
        for (; ahead.length < prefetch && next < steps; next++) {
          const batch = load(epoch, next, rowsOfStep(plan, order, next), stop.signal);
          batch.catch(() => {}); // awaited in its turn; until then Node must not call it unhandled
          ahead.push(batch);
        }
        const batch = await ahead.shift();
        signal?.throwIfAborted();
        if (!batch) return;
        yield batch;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      stop.abort(new Error('the epoch was left'));
      await Promise.allSettled(ahead);
    }
  }

  return {
    stepsPerEpoch: steps,
    epoch(epoch, { startStep = 0, signal } = {}) {
      if (!(Number.isInteger(startStep) && startStep >= 0 && startStep <= steps)) {
        throw new RangeError(`startStep is ${startStep}; expected 0 to ${steps}`);
      }
      return batches(epoch, startStep, signal);
    },
    quarantined: () => quarantine.list(),
  };
}

/** Move images up over those that are missing; returns how many there are. */
function closeGaps(memory: Uint8Array, good: Uint8Array, stride: number): number {
  let size = 0;
  good.forEach((isGood, i) => {
    if (isGood !== 1) return;
    if (size !== i) memory.copyWithin(size * stride, i * stride, (i + 1) * stride);
    size += 1;
  });
  return size;
}
