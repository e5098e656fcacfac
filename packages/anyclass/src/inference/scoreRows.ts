// Computes a network's logits for rows of a dataset, along with their labels.

import { createLoader } from '../data/batches/loader.js';
import type { Dataset } from '../data/dataset/dataset.js';
import type { InputSource } from '../data/dataset/inputs.js';
import { refusePartial } from '../data/images/storage/missingImages.js';
import { gatherFloats, gatherIntegers, gatherLists } from '../distribution/exchange.js';
import { ownThreads, type Ranks } from '../distribution/ranks.js';
import { shareOf } from '../distribution/shares.js';
import type { Quarantined } from '../events/runSummary.js';
import { scoredBatches } from './scoredBatches.js';
import type { Scorer } from './scorer.js';

export interface ScoreOptions {
  readonly rows: Int32Array;
  readonly batchSize: number;
  readonly strict?: boolean;
  /** The ranks among which the rows are divided; each gets all results. */
  readonly ranks?: Ranks | undefined;
  /** Score the images that exist if some are missing. Default false: missing images are an error. */
  readonly allowPartial?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of images read so far, starting with 0. */
  readonly onProgress?: (done: number) => void;
}

/** Rows that could be read, with their logits and labels. */
export interface ScoredRows {
  readonly rows: Int32Array;
  readonly logits: Float32Array;
  /** 0 to 1, or NaN for unknown. */
  readonly targets: Float32Array;
  readonly quarantined: readonly Quarantined[];
}

/**
 * Scores rows of a dataset in order. With several ranks, each scores a share, and the shares are combined so
 * that every row appears once.
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
  const { rows, ranks, onProgress } = options;
  const { start, end } = shareOf(rows.length, ranks);
  const worldSize = ranks?.worldSize ?? 1;
  const own = await scoreShare(scorer, dataset, inputs, {
    ...options,
    rows: rows.subarray(start, end),
    ...(onProgress && {
      onProgress: (done) => onProgress(done === end - start ? rows.length : done * worldSize),
    }),
  });
  const result = ranks ? await gathered(ranks, own) : own;
  if (!options.allowPartial) refusePartial(result.quarantined, rows.length);
  return result;
}

async function gathered(ranks: Ranks, own: ScoredRows): Promise<ScoredRows> {
  return {
    rows: await gatherIntegers(ranks, own.rows),
    logits: await gatherFloats(ranks, own.logits),
    targets: await gatherFloats(ranks, own.targets),
    quarantined: await gatherLists(ranks, own.quarantined),
  };
}

async function scoreShare(
  scorer: Scorer,
  dataset: Dataset,
  inputs: InputSource,
  options: Omit<ScoreOptions, 'ranks' | 'allowPartial'>,
): Promise<ScoredRows> {
  const { rows, batchSize, strict = false, signal, onProgress } = options;
  if (rows.length === 0) return nothingScored; // more ranks than rows
  const classes = dataset.classes.length;
  const loader = createLoader(dataset, inputs, { rows, batchSize, strict, threads: 2 * ownThreads() });
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
  return {
    rows: scored.slice(0, count),
    logits: all.slice(0, count * classes),
    targets: targets.slice(0, count * classes),
    quarantined: loader.quarantined(),
  };
}

const nothingScored: ScoredRows = {
  rows: new Int32Array(),
  logits: new Float32Array(),
  targets: new Float32Array(),
  quarantined: [],
};
