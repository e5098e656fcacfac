// Learns what usual images look like at the end of a run: from validation's pixels, and from how far its embeddings are from those
// of training images. Then counts the odd ones of validation and test.

import { createGuard, fitGuard, type Guard, type PixelStatistics, pixelStatistics } from '@anyclass/core';
import { createLoader } from '../data/batches/loader.js';
import { inputBytes, isFeatureFormat } from '../data/dataset/inputs.js';
import { ownThreads } from '../distribution/ranks.js';
import type { OddImages, RunSummary } from '../events/runSummary.js';
import { scoredBatches } from '../inference/scoredBatches.js';
import { createScorer } from '../inference/scorer.js';
import type { Network } from '../networks/network.js';
import type { ActiveRun } from './activeRun.js';
import type { Session } from './session.js';

/** Embeddings of this many training images are enough to choose the kept ones from. */
const mostTraining = 1000;

/** With fewer images, the ends of their range say little. */
const leastValidation = 50;

export interface RunGuard {
  readonly guard: Guard;
  readonly rates: NonNullable<RunSummary['guard']>;
}

/** Fits the guard that a run's configuration asks for; undefined without one, or if nothing can be learned. */
export async function runGuard(
  session: Session,
  network: Network,
  { note, options }: ActiveRun,
): Promise<RunGuard | undefined> {
  const { configuration, data, settings, evaluationBatch } = session;
  const { guard: quantile, test: isTested } = configuration.evaluation;
  if (quantile === null) return undefined;
  const scorer = createScorer(network, {
    ...settings,
    input: data.input,
    batchSize: evaluationBatch,
    hasEmbeddings: true,
  });
  const { format } = scorer;
  if (isFeatureFormat(format)) {
    note('evaluation.guard has no effect on feature vectors: it looks at images');
    return undefined;
  }
  const { splits } = data.dataset;
  if (splits.validation.length < leastValidation) {
    note(`No guard: validation has ${splits.validation.length} images, and it takes ${leastValidation}`);
    return undefined;
  }
  const stride = inputBytes(format);
  const batchesOf = (rows: Int32Array) => {
    const loader = createLoader(data.dataset, data.inputs, {
      rows,
      batchSize: evaluationBatch,
      strict: false,
      threads: 2 * ownThreads(),
    });
    return scoredBatches(loader.epoch(0, options.signal ? { signal: options.signal } : {}), scorer);
  };
  const seen = async (rows: Int32Array): Promise<SeenImages> => {
    const pixels: PixelStatistics[] = [];
    const embeddings: number[] = [];
    for await (const { batch, embeddings: own } of batchesOf(rows)) {
      for (let row = 0; row < batch.size; row++)
        pixels.push(
          pixelStatistics(batch.inputs.subarray(row * stride, (row + 1) * stride), format.channels),
        );
      for (const value of own ?? []) embeddings.push(value);
    }
    return { pixels, embeddings: Float32Array.from(embeddings) };
  };
  const training = await seen(spread(data.trainingRows, mostTraining));
  const validation = await seen(splits.validation);
  const guard = fitGuard(
    {
      pixels: validation.pixels,
      embeddings: {
        width: training.embeddings.length / training.pixels.length,
        training: training.embeddings,
        validation: validation.embeddings,
      },
    },
    quantile,
  );
  return {
    guard,
    rates: {
      quantile,
      validation: oddImages(guard, validation),
      ...(isTested && splits.test.length > 0 && { test: oddImages(guard, await seen(splits.test)) }),
    },
  };
}

/** What a guard sees of images, row by row. */
interface SeenImages {
  readonly pixels: readonly PixelStatistics[];
  readonly embeddings: Float32Array;
}

function oddImages(guard: Guard, { pixels, embeddings }: SeenImages): OddImages {
  const oddReason = createGuard(guard);
  const width = embeddings.length / pixels.length;
  const reasons: Record<string, number> = {};
  let odd = 0;
  pixels.forEach((each, row) => {
    const reason = oddReason(each, embeddings.subarray(row * width, (row + 1) * width));
    if (reason === undefined) return;
    odd++;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  });
  return { images: pixels.length, odd, reasons };
}

/** Up to this many rows, evenly spaced. */
function spread(rows: Int32Array, most: number): Int32Array {
  if (rows.length <= most) return rows;
  return Int32Array.from({ length: most }, (_, i) => rows[Math.floor((i * rows.length) / most)]!);
}
