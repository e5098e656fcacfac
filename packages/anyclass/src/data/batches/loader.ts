import { availableParallelism } from 'node:os';
import type { Quarantined } from '../../events/runSummary.js';
import type { Dataset } from '../dataset/dataset.js';
import { type InputSource, inputBytes } from '../dataset/inputs.js';
import { limiter, settleAll } from '../images/limiter.js';
import { createQuarantine } from '../images/storage/quarantine.js';
import { type BatchPlan, checkPlan, epochOrder, largestRows, rowsOfStep, stepsPerEpoch } from './order.js';

export interface LoaderOptions extends Partial<Omit<BatchPlan, 'rows' | 'batchSize'>> {
  readonly rows: Int32Array;
  /** Total over all ranks. */
  readonly batchSize: number;
  /** Images requested at once. Default: two per core, so that a decoder always has the next one ready. */
  readonly threads?: number;
  /** Batches in memory, including the one in use and those being loaded; bounds the memory. Default 3. */
  readonly prefetch?: number;
  /** Treat an unreadable image as an error instead of quarantining it. */
  readonly strict?: boolean;
}

/**
 * A batch in plain memory. Images are N x height x width x channels, as decoders write them and the
 * cache stores them, so nothing is rearranged on the CPU. On the device, a permuted view is an NCHW
 * tensor in channels-last order, which convolutions prefer. For feature vectors, `images` has the
 * bytes of N x features floats.
 */
export interface Batch {
  readonly epoch: number;
  readonly step: number;
  /**
   * The number of instances: fewer than requested (even none) if images are
   * quarantined, or in the last batch.
   */
  readonly size: number;
  readonly images: Uint8Array;
  /** N x classes: 1 present, 0 absent, a number in between, or NaN for unknown. */
  readonly targets: Float32Array;
  /** The dataset row of each instance. */
  readonly indices: Int32Array;
  /** Releases the memory for reuse: `using batch`. */
  [Symbol.dispose](): void;
}

export interface Loader {
  readonly stepsPerEpoch: number;
  /**
   * The batches of an epoch, from any step on. Leaving the loop, or the signal, stops all work
   * and leaves nothing open.
   */
  epoch(
    epoch: number,
    options?: { readonly startStep?: number; readonly signal?: AbortSignal },
  ): AsyncGenerator<Batch>;
  quarantined(): Quarantined[];
}

/**
 * Creates a loader of batches. The content of a batch depends only on (seed, epoch, step), never on threads
 * or timing. The next batches are loaded while one is in use, up to `prefetch` in total.
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
  if (!(threads >= 1 && prefetch >= 1)) throw new RangeError('threads and prefetch must be 1 or more');
  const limited = limiter(threads);
  const quarantine = createQuarantine(dataset.names, { strict });
  const stride = inputBytes(inputs.format);
  const classes = dataset.classes.length;
  const steps = stepsPerEpoch(plan);
  const spare: Uint8Array[] = [];

  // Waits for all of them, even after an error: nothing may still write into an abandoned batch.
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
          batch.catch(() => {}); // awaited later; until then, Node must not report it as unhandled
          ahead.push(batch);
        }
        const batch = await ahead.shift();
        signal?.throwIfAborted();
        if (!batch) return;
        yield batch;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      stop.abort(new Error('the epoch was abandoned'));
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

/** Moves images forward over missing ones. Returns how many are left. */
function closeGaps(memory: Uint8Array, good: Uint8Array, stride: number): number {
  let size = 0;
  good.forEach((isGood, i) => {
    if (isGood !== 1) return;
    if (size !== i) memory.copyWithin(size * stride, i * stride, (i + 1) * stride);
    size += 1;
  });
  return size;
}
