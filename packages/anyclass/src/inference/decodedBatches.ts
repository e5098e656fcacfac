// Decodes any number of images from any source in batches, with memory for only two batches.

import { availableParallelism } from 'node:os';
import { createAssembler } from '../data/batches/assembler.js';
import type { InputBatch } from '../data/batches/deviceBatch.js';
import { imageBytes, type PixelFormat } from '../data/dataset/reading/pixelFormat.js';
import { createDecoder, type UnreadImage } from '../data/images/decoding/decoder.js';
import { MachineError } from '../data/images/storage/storage.js';
import { reasonOf } from '../errors/reasonOf.js';

/** A batch, and the outcome for every image that was meant for it. */
export interface DecodedBatch<Image extends UnreadImage> extends InputBatch, Disposable {
  /** In the order in which they were given. An image without a failure is in the batch. */
  readonly entries: readonly { readonly image: Image; readonly failure?: string }[];
}

/**
 * Decodes images as training does, preparing the next batch while one is in use.
 *
 * @example
 * for await (using batch of decodedBatches(imageInputs(['photos']), format, 32)) console.log(batch.size);
 */
export async function* decodedBatches<Image extends UnreadImage>(
  images: Iterable<Image> | AsyncIterable<Image>,
  format: PixelFormat,
  batchSize: number,
): AsyncGenerator<DecodedBatch<Image>> {
  const decoder = createDecoder(format, {});
  const assembler = createAssembler({
    stride: imageBytes(format),
    capacity: batchSize,
    threads: 2 * availableParallelism(),
  });
  const source = inOrder(images);
  const take = async (): Promise<DecodedBatch<Image>> => {
    const draft = assembler.begin();
    const entries: { readonly image: Image; failure?: string }[] = [];
    while (entries.length < batchSize) {
      const next = await source.next();
      if (next.done) break;
      const entry: (typeof entries)[number] = { image: next.value };
      entries.push(entry);
      void draft.add(
        (bytes, offset) => decoder.readInto(entry.image, bytes, offset),
        (error) => {
          // The machine is at fault, not this image; the next ones would fail in the same way.
          if (error instanceof MachineError) throw error;
          entry.failure = reasonOf(error);
        },
      );
    }
    const { size, bytes } = await draft.finish();
    return { entries, size, inputs: bytes, [Symbol.dispose]: () => draft[Symbol.dispose]() };
  };
  try {
    for (let ahead = take(); ; ) {
      const batch = await ahead;
      if (batch.entries.length === 0) return;
      ahead = take();
      ahead.catch(() => {}); // awaited in the next iteration
      yield batch;
    }
  } finally {
    await source.return(undefined);
    await decoder.close();
  }
}

/** Turns either kind of iterable into an asynchronous one. */
export async function* inOrder<Image>(images: Iterable<Image> | AsyncIterable<Image>): AsyncGenerator<Image> {
  yield* images;
}
