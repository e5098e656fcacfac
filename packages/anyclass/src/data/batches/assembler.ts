// Assembles batches in plain memory, for training, prediction and serving alike: instances are read many at
// once, each into its place; those that cannot be read leave gaps, which are closed; memory is used again.

import { limiter, settleAll } from '../images/limiter.js';

/** Writes the bytes of an instance into `bytes` at `offset`; rejects if it cannot be read. */
export type ReadInto = (bytes: Uint8Array, offset: number) => Promise<void>;

/** A batch that is being assembled. Disposing of it returns its memory for the next one. */
export interface BatchDraft extends Disposable {
  /** Which part of the given memory it has; 0 if the assembler has its own. */
  readonly index: number;
  readonly bytes: Uint8Array;
  /**
   * Reads an instance into the next place, once fewer than `threads` others are being read. If it cannot be
   * read, `onFailure` may throw, which fails the batch; by default it throws the error.
   */
  add(read: ReadInto, onFailure?: (error: unknown) => void): Promise<void>;
  /** Marks the first places as read, for a source that reads several instances in one operation. */
  filled(count: number): void;
  /**
   * Waits until nothing is read anymore, even after an error, and moves the instances over the gaps.
   * `isFilled` has an entry for each place.
   */
  finish(): Promise<{ readonly size: number; readonly bytes: Uint8Array; readonly isFilled: Uint8Array }>;
}

export interface AssemblerOptions {
  /** Bytes of one instance. */
  readonly stride: number;
  /** Instances in the largest batch. */
  readonly capacity: number;
  /** Instances that are read at once. */
  readonly threads: number;
  /** Memory to divide among the batches, for example because another thread reads it; no other is then used. */
  readonly within?: Uint8Array;
}

export interface Assembler {
  /** Begins a batch. Throws if the given memory is all in use. */
  begin(): BatchDraft;
}

/**
 * Creates an assembler of batches.
 *
 * @example
 * const assembler = createAssembler({ stride: imageBytes(format), capacity: 32, threads: 8 });
 * using draft = assembler.begin();
 * for (const image of images) void draft.add((bytes, offset) => decoder.readInto(image, bytes, offset), note);
 * const { size, bytes } = await draft.finish();
 */
export function createAssembler({ stride, capacity, threads, within }: AssemblerOptions): Assembler {
  const limited = limiter(threads);
  const length = capacity * stride;
  const parts = within ? Math.floor(within.length / length) : 0;
  // Last in, first out, so that little memory is touched where little is in use.
  const spare = Array.from({ length: parts }, (_, i) => parts - 1 - i).map((index) => ({
    index,
    bytes: within!.subarray(index * length, (index + 1) * length),
  }));
  return {
    begin() {
      const memory = spare.pop() ?? (within ? undefined : { index: 0, bytes: new Uint8Array(length) });
      if (!memory) throw new Error('no memory is left for another batch');
      const isFilled = new Uint8Array(capacity);
      const work: Promise<void>[] = [];
      let isReleased = false;
      return {
        ...memory,
        add(read, onFailure = rethrow) {
          const place = work.length;
          const reading = limited(() => read(memory.bytes, place * stride)).then(() => {
            isFilled[place] = 1;
          }, onFailure);
          work.push(reading);
          reading.catch(() => {}); // `finish` throws it, or whoever waits for this instance
          return reading;
        },
        filled: (count) => void isFilled.fill(1, 0, count),
        async finish() {
          await settleAll(work);
          const places = [...isFilled.keys()].filter((place) => isFilled[place] === 1);
          return {
            size: places.length,
            bytes: packInstances(memory.bytes, places, stride, memory.bytes),
            isFilled,
          };
        },
        [Symbol.dispose]() {
          if (!isReleased) spare.push(memory);
          isReleased = true;
        },
      };
    },
  };
}

/**
 * Copies instances to the start of `into`, one after another, and returns them. Within the same memory, the
 * places must ascend.
 *
 * @example
 * packInstances(Uint8Array.of(1, 2, 3, 4, 5, 6), [0, 2], 2, new Uint8Array(6)) // 1, 2, 5, 6
 */
export function packInstances(
  from: Uint8Array,
  places: readonly number[],
  stride: number,
  into: Uint8Array,
): Uint8Array {
  places.forEach((place, row) => {
    if (from === into && place === row) return;
    into.set(from.subarray(place * stride, (place + 1) * stride), row * stride);
  });
  return into.subarray(0, places.length * stride);
}

function rethrow(error: unknown): never {
  throw error;
}
