import { availableParallelism } from 'node:os';
import type { Quarantined } from '../../events/runSummary.js';
import type { Dataset } from '../dataset/dataset.js';
import { type InputSource, inputBytes } from '../dataset/inputs.js';
import { createQuarantine } from '../images/storage/quarantine.js';
import { createAssembler, type ReadInto } from './assembler.js';
import {
  type BatchPlan,
  checkPlan,
  earlierDraws,
  epochOrder,
  largestRows,
  rowsOfStep,
  stepsPerEpoch,
} from './order.js';

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
  /** Changes the targets of a dataset row, which begin at an offset. */
  readonly changeTargets?: ((row: number, targets: Float32Array, offset: number) => void) | undefined;
  /** How much the instance of a dataset row counts. */
  readonly weightOf?: ((row: number) => number) | undefined;
}

/**
 * A batch in plain memory. Images are N x height x width x channels, as decoders write them and the
 * cache stores them, so nothing is rearranged on the CPU. On the device, a permuted view is an NCHW
 * tensor in channels-last order, which convolutions prefer. For feature vectors, `inputs` has the
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
  /** The images or feature vectors. */
  readonly inputs: Uint8Array;
  /** N x classes: 1 present, 0 absent, a number in between, or NaN for unknown. */
  readonly targets: Float32Array;
  /** How much each instance counts; all alike if undefined. */
  readonly weights?: Float32Array | undefined;
  /** The dataset row of each instance. */
  readonly indices: Int32Array;
  /**
   * What the random changes of each instance depend on besides seed and epoch, if an epoch may draw a row several times: the row, and which time
   * it is. Otherwise the row alone.
   */
  readonly draws?: Int32Array | undefined;
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
 * for await (using batch of loader.epoch(0)) train(batch.inputs, batch.targets);
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
    rates,
    weightOf,
    changeTargets,
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
    rates,
  };
  checkPlan(plan);
  if (!(threads >= 1 && prefetch >= 1)) throw new RangeError('threads and prefetch must be 1 or more');
  const quarantine = createQuarantine(dataset.names, { strict });
  const classes = dataset.classes.length;
  const steps = stepsPerEpoch(plan);
  const assembler = createAssembler({
    stride: inputBytes(inputs.format),
    capacity: largestRows(plan),
    threads,
  });

  const load = async (
    epoch: number,
    step: number,
    rows: Int32Array,
    earlier: Int32Array | undefined,
    stopped: AbortSignal,
  ): Promise<Batch> => {
    const draft = assembler.begin();
    if (await inputs.readAll?.(rows, draft.bytes)) draft.filled(rows.length);
    else
      rows.forEach((row) => {
        const read: ReadInto = async (bytes, offset) => {
          if (!stopped.aborted) await inputs.readInto(row, bytes, offset);
        };
        const quarantined = (error: unknown) => quarantine.add(row, error);
        void draft.add(read, quarantined);
      });
    const { size, bytes, isFilled } = await draft.finish();
    if (stopped.aborted) throw stopped.reason;
    const isRead = (_: number, i: number) => isFilled[i] === 1;
    const indices = rows.filter(isRead);
    const draws = earlier && rows.map((row, i) => row + earlier[i]! * dataset.names.length).filter(isRead);
    const targets = new Float32Array(size * classes);
    indices.forEach((row, i) => {
      dataset.labels.copyRow(row, targets, i * classes);
      changeTargets?.(row, targets, i * classes);
    });
    return {
      epoch,
      step,
      size,
      inputs: bytes,
      targets,
      ...(weightOf && { weights: Float32Array.from(indices, weightOf) }),
      indices,
      ...(draws && { draws }),
      [Symbol.dispose]: () => draft[Symbol.dispose](),
    };
  };

  async function* batches(
    epoch: number,
    startStep: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Batch> {
    signal?.throwIfAborted();
    const order = epochOrder(plan, epoch);
    const earlier = rates && earlierDraws(order);
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const ahead: Promise<Batch>[] = [];
    let next = startStep;
    try {
      for (;;) {
        for (; ahead.length < prefetch && next < steps; next++) {
          const batch = load(
            epoch,
            next,
            rowsOfStep(plan, order, next),
            earlier && rowsOfStep(plan, earlier, next),
            stop.signal,
          );
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
