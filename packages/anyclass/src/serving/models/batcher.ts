// Work-conserving dynamic batching: an idle model starts at once with the images it has; a busy one collects
// more. A model that works on several batches at once gets another when it is full.

import type { Cancellation } from './cancellation.js';

/** An item that waits for its batch. */
export interface Waiting<Item, Row> {
  readonly item: Item;
  /** A canceled item is dropped. */
  readonly cancellation: Cancellation;
  resolve(row: Row): void;
  reject(reason: unknown): void;
}

export interface BatcherOptions<Item, Row> {
  readonly maxBatch: number;
  /** Batches that are computed at once; default 1. */
  readonly mostStarted?: number | undefined;
  /** Milliseconds that an idle model waits for more images after the first; 0 starts at once. */
  readonly maxDelay: number;
  /** Returns the answers in the order of the items. */
  compute(items: readonly Item[]): Promise<readonly Row[]>;
  /** Called for each item that was dropped or answered, once it is no longer in use. */
  release(item: Item): void;
}

export interface Batcher<Item, Row> {
  add(item: Item, cancellation: Cancellation): Promise<Row>;
  readonly waiting: number;
}

/**
 * Creates a batcher.
 *
 * @example
 * const batcher = createBatcher({ maxBatch: 32, maxDelay: 0, compute, release });
 * const row = await batcher.add(slot, cancellation);
 */
export function createBatcher<Item, Row>(options: BatcherOptions<Item, Row>): Batcher<Item, Row> {
  const { maxBatch, mostStarted = 1, maxDelay, compute, release } = options;
  let queue: Waiting<Item, Row>[] = [];
  let started = 0;
  let delay: NodeJS.Timeout | undefined;

  const dropAbandoned = () => {
    const isAbandoned = ({ cancellation }: Waiting<Item, Row>) => cancellation.reason !== undefined;
    if (!queue.some(isAbandoned)) return;
    const abandoned = queue.filter(isAbandoned);
    queue = queue.filter((waiting) => !isAbandoned(waiting));
    for (const { item, cancellation, reject } of abandoned) {
      release(item);
      reject(cancellation.reason);
    }
  };

  const canStart = () =>
    queue.length >= maxBatch ? started < mostStarted : started === 0 && queue.length > 0;

  const start = async () => {
    clearTimeout(delay);
    delay = undefined;
    dropAbandoned();
    if (!canStart()) return;
    const batch = queue.splice(0, maxBatch);
    started += 1;
    try {
      const rows = await compute(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(rows[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const { item } of batch) release(item);
      started -= 1;
      if (queue.length > 0) void start();
    }
  };

  return {
    get waiting() {
      return queue.length;
    },
    add(item, cancellation) {
      return new Promise((resolve, reject) => {
        queue.push({ item, cancellation, resolve, reject });
        cancellation.onCancel(dropAbandoned);
        if (!canStart()) return;
        if (maxDelay === 0 || queue.length >= maxBatch) void start();
        else delay ??= setTimeout(() => void start(), maxDelay);
      });
    },
  };
}
