// Work-conserving dynamic batching: an idle model starts at once with what is there, a busy one collects.

/** An image that waits for its turn. */
export interface Waiting<Item, Row> {
  readonly item: Item;
  /** Aborted where nobody waits for the answer any more: the item is left out. */
  readonly signal: AbortSignal;
  resolve(row: Row): void;
  reject(reason: unknown): void;
}

export interface BatcherOptions<Item, Row> {
  readonly maxBatch: number;
  /** Milliseconds that an idle model waits for more images, from the first of them; 0: not at all. */
  readonly maxDelay: number;
  /** Answers in the order of the items. */
  compute(items: readonly Item[]): Promise<readonly Row[]>;
  /** Called for each item that is left out or answered, once nothing of it is in use. */
  release(item: Item): void;
}

export interface Batcher<Item, Row> {
  add(item: Item, signal: AbortSignal): Promise<Row>;
  readonly waiting: number;
}

/**
 * @example
 * const batcher = createBatcher({ maxBatch: 32, maxDelay: 0, compute, release });
 * const row = await batcher.add(slot, signal);
 */
export function createBatcher<Item, Row>(options: BatcherOptions<Item, Row>): Batcher<Item, Row> {
  const { maxBatch, maxDelay, compute, release } = options;
  let queue: Waiting<Item, Row>[] = [];
  let isBusy = false;
  let delay: NodeJS.Timeout | undefined;

  const dropAbandoned = () => {
    if (!queue.some(({ signal }) => signal.aborted)) return;
    const [abandoned, rest] = [
      queue.filter(({ signal }) => signal.aborted),
      queue.filter(({ signal }) => !signal.aborted),
    ];
    queue = rest;
    for (const { item, signal, reject } of abandoned) {
      release(item);
      reject(signal.reason);
    }
  };

  const start = async () => {
    clearTimeout(delay);
    delay = undefined;
    dropAbandoned();
    if (isBusy || queue.length === 0) return;
    const batch = queue.splice(0, maxBatch);
    isBusy = true;
    try {
      const rows = await compute(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(rows[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const { item } of batch) release(item);
      isBusy = false;
      if (queue.length > 0) void start();
    }
  };

  return {
    get waiting() {
      return queue.length;
    },
    add(item, signal) {
      return new Promise((resolve, reject) => {
        queue.push({ item, signal, resolve, reject });
        signal.addEventListener('abort', dropAbandoned, { once: true });
        if (isBusy) return;
        if (maxDelay === 0 || queue.length >= maxBatch) void start();
        else delay ??= setTimeout(() => void start(), maxDelay);
      });
    },
  };
}
