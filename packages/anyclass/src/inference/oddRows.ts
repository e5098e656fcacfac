// Odd images among those to predict: what a guard learned on validation says about the pixels that the network gets, and about how
// far they are from the training images.

import { createGuard, type OddReason, pixelStatistics } from '@anyclass/core';
import type { InputBatch } from '../data/batches/deviceBatch.js';
import { type InputFormat, inputBytes, isFeatureFormat } from '../data/dataset/inputs.js';
import type { ModelDescription } from '../runs/modelFile.js';

/** The reason why each image of a batch is odd; undefined for usual ones. */
export type OddRows = (
  batch: InputBatch,
  embeddings?: Float32Array | undefined,
) => readonly (OddReason | undefined)[];

/**
 * Returns a function that finds odd images; undefined for a model without a guard.
 *
 * @example
 * const oddRows = oddRowsOf(description, scorer.format);
 * oddRows?.(batch, embeddings) // [undefined, 'too dark', undefined, …]
 */
export function oddRowsOf(
  { guard }: Pick<ModelDescription, 'guard'>,
  format: InputFormat,
): OddRows | undefined {
  if (!guard || isFeatureFormat(format)) return undefined;
  const oddReason = createGuard(guard);
  const stride = inputBytes(format);
  const width = guard.training?.width ?? 0;
  return ({ size, inputs }, embeddings) =>
    Array.from({ length: size }, (_, row) =>
      oddReason(
        pixelStatistics(inputs.subarray(row * stride, (row + 1) * stride), format.channels),
        embeddings?.subarray(row * width, (row + 1) * width),
      ),
    );
}
