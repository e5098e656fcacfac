// The mean logit of every label over the epochs of training, for `inspect` to find labels that the network learns against its
// will. Pleiss et al., "Identifying Mislabeled Data using the Area Under the Margin Ranking", NeurIPS 2020, arXiv 2001.10528:
// before a network memorizes a wrong label, many others have pulled its logit to the other side, and the mean over epochs
// remembers that. With a label of 1 or 0 the margin is the logit or its negative. Epochs that only memorize would drown that, so
// the record ends when they begin.

import { type Tensor, tensor } from '@anyclass/torch';
import { gatherTensorsNow } from '../distribution/exchange.js';
import type { Ranks } from '../distribution/ranks.js';
import type { RunPaths } from '../runs/runFolder.js';
import { writeTable } from '../runs/scoreFiles.js';
import type { RunData } from './dataForRun.js';

/** Two numbers a label would take more than this. */
const mostLabels = 50_000_000;

/**
 * Epochs count until their loss falls below this share of the first one's. In 600 scenes of digits with 20 flipped labels, 30 epochs
 * end there, and the means have most of the flipped labels; after 100 epochs all were memorized, and they had none.
 */
const memorizingFrom = 0.25;

export interface Margins {
  /** Adds the logits of a batch, row by row; rows are those of the dataset. */
  add(rows: Int32Array, logits: ArrayLike<number | bigint>): void;
  /** Ends an epoch with its mean loss. */
  endEpoch(loss: number): void;
  /** The sums so far, over all ranks, which must all call it. */
  save(): Map<string, Tensor>;
  restore(tensors: ReadonlyMap<string, Tensor>): void;
  /** Means over epochs, of images that were seen; all ranks must call it. */
  means(): MeanLogits;
}

export interface MeanLogits {
  /** Rows of the dataset. */
  readonly rows: readonly number[];
  readonly values: Float32Array;
}

interface TrainedLabels extends Pick<RunData, 'trainingRows'> {
  readonly dataset: Pick<RunData['dataset'], 'names' | 'classes'>;
}

/**
 * Creates the record of a run's training labels; undefined for so many labels that it would take too much memory.
 *
 * @example
 * const margins = createMargins(data, ranks);
 * margins?.add(batch.indices, logits);
 */
export function createMargins(
  { dataset, trainingRows }: TrainedLabels,
  ranks: Ranks | undefined,
): Margins | undefined {
  const classes = dataset.classes.length;
  if (trainingRows.length * classes > mostLabels) return undefined;
  const sums = new Float32Array(trainingRows.length * classes);
  const counts = new Float32Array(trainingRows.length);
  const placeOf = new Int32Array(dataset.names.length).fill(-1);
  trainingRows.forEach((row, place) => {
    placeOf[row] = place;
  });
  let firstLoss = Number.NaN;
  let isMemorizing = false;
  return {
    add(rows, logits) {
      if (isMemorizing) return;
      rows.forEach((row, i) => {
        const place = placeOf[row]!;
        if (place < 0) return;
        counts[place] = counts[place]! + 1;
        for (let j = 0; j < classes; j++) {
          const at = place * classes + j;
          sums[at] = sums[at]! + Number(logits[i * classes + j]!);
        }
      });
    },
    endEpoch(loss) {
      if (Number.isNaN(firstLoss)) firstLoss = loss;
      if (loss < memorizingFrom * firstLoss) isMemorizing = true;
    },
    save: () =>
      new Map([
        ['sums', tensor(overRanks(sums, ranks))],
        ['counts', tensor(overRanks(counts, ranks))],
        ['losses', tensor(Float32Array.of(firstLoss, Number(isMemorizing)))],
      ]),
    restore(tensors) {
      const losses = tensors.get('losses')?.toTypedArray();
      if (losses instanceof Float32Array) [firstLoss, isMemorizing] = [losses[0]!, losses[1] === 1];
      // What all ranks had together is the first one's now.
      if (ranks?.isFirst === false) return;
      for (const [name, into] of [
        ['sums', sums],
        ['counts', counts],
      ] as const) {
        const saved = tensors.get(name)?.toTypedArray();
        if (saved instanceof Float32Array && saved.length === into.length) into.set(saved);
      }
    },
    means() {
      const [allSums, allCounts] = [overRanks(sums, ranks), overRanks(counts, ranks)];
      const seen = [...trainingRows.keys()].filter((place) => allCounts[place]! > 0);
      const values = new Float32Array(seen.length * classes);
      seen.forEach((place, i) => {
        for (let j = 0; j < classes; j++)
          values[i * classes + j] = allSums[place * classes + j]! / allCounts[place]!;
      });
      return { rows: seen.map((place) => trainingRows[place]!), values };
    },
  };
}

function overRanks(own: Float32Array, ranks: Ranks | undefined): Float32Array {
  if (!ranks) return own;
  const all = Float32Array.from(own).fill(0);
  for (const part of gatherTensorsNow(ranks, tensor(own))) {
    const values = part.toTypedArray();
    values.forEach((value, i) => {
      all[i] = all[i]! + Number(value);
    });
  }
  return all;
}

/** Writes the means to the run folder. */
export function writeMargins(
  { margins }: Pick<RunPaths, 'margins'>,
  { names, classes }: RunData['dataset'],
  { rows, values }: MeanLogits,
): void {
  writeTable(margins, {
    names: rows.map((row) => names.at(row)),
    classNames: classes,
    // Four digits are enough to rank, and take half of the space.
    values: Array.from(values, (value) => Number(value.toPrecision(4))),
  });
}
