// A network's logits for rows of a dataset, beside their labels.

import type { Dataset } from '../data/dataset.js';
import { refusePartial } from '../data/images/missingImages.js';
import type { InputSource } from '../data/inputs.js';
import { createLoader } from '../data/loading/loader.js';
import type { Quarantined } from '../events/runSummary.js';
import { type Scorer, scoredBatches } from './scorer.js';

export interface ScoreOptions {
  readonly rows: Int32Array;
  readonly batchSize: number;
  readonly strict?: boolean;
  /** Score what is there of rows of which images are missing. Default false: that is an error. */
  readonly allowPartial?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of images that were read so far; first with 0. */
  readonly onProgress?: (done: number) => void;
}

/** Rows that could be read, with their logits and labels. */
export interface ScoredRows {
  readonly rows: Int32Array;
  readonly logits: Float32Array;
  /** 0 to 1, or NaN where unknown. */
  readonly targets: Float32Array;
  readonly quarantined: readonly Quarantined[];
}

/**
 * Scores rows of a dataset in their order.
 *
 * @example
 * const scored = await scoreRows(scorer, dataset, inputs, { rows: dataset.splits.test, batchSize: 64 });
 */
export async function scoreRows(
  scorer: Scorer,
  dataset: Dataset,
  inputs: InputSource,
  options: ScoreOptions,
): Promise<ScoredRows> {
  const { rows, batchSize, strict = false, allowPartial = false, signal, onProgress } = options;
  const classes = dataset.classes.length;
  const loader = createLoader(dataset, inputs, { rows, batchSize, strict });
  const scored = new Int32Array(rows.length);
  const all = new Float32Array(rows.length * classes);
  const targets = new Float32Array(rows.length * classes);
  let count = 0;
  onProgress?.(0);
  for await (const { batch, logits } of scoredBatches(loader.epoch(0, signal ? { signal } : {}), scorer)) {
    scored.set(batch.indices, count);
    all.set(logits, count * classes);
    targets.set(batch.targets, count * classes);
    count += batch.size;
    onProgress?.(count);
  }
  const quarantined = loader.quarantined();
  if (!allowPartial) refusePartial(quarantined, rows.length);
  return {
    rows: scored.slice(0, count),
    logits: all.slice(0, count * classes),
    targets: targets.slice(0, count * classes),
    quarantined,
  };
}
