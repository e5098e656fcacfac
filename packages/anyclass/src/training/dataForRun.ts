// The data of a run: the dataset, its images at the network's size, and the training rows.

import { createHash } from 'node:crypto';
import { effectiveNumberWeights } from '@anyclass/core';
import { defined, openData } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import { openPixels } from '../data/cache/openCache.js';
import { type Dataset, type Preparation, splitNames } from '../data/dataset.js';
import { checkImagesAreThere } from '../data/images/missingImages.js';
import type { PixelSource } from '../data/images/pixelSource.js';
import { chooseSubset } from '../data/splits/subset.js';
import { UserError } from '../errors/userError.js';
import { validationRemarks } from '../inspect/validationPositives.js';

export interface RunData {
  readonly dataset: Dataset;
  readonly pixels: PixelSource;
  /** How images are decoded and normalized: the dataset's own way, or the configuration's. */
  readonly preparation: Preparation;
  readonly trainingRows: Int32Array;
  /** Remarks for the log. */
  readonly remarks: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the data of a configuration.
 *
 * @example
 * const data = await openRunData(validateConfiguration({ data: { dataset: 'digits' } }));
 * data.trainingRows.length // 20000
 */
export async function openRunData({ data, network, bestBy }: Configuration): Promise<RunData> {
  const dataset = await openData(data);
  const { preparation } = dataset;
  const size = { width: network.inputSize, height: network.inputSize, channels: preparation.channels };
  const { pixels, state } = await openPixels(dataset, size, data.cache);
  const close = async () => {
    await pixels.close();
    await dataset.images.close();
  };
  try {
    if (dataset.splits.train.length === 0)
      throw new UserError(`${dataset.name}: there are no training images`);
    if (!dataset.splits.validation.some((row) => dataset.labels.presence(row) !== 'unknown')) {
      throw new UserError(
        `${dataset.name}: there are no labeled validation images; name a split, or set data.draw`,
      );
    }
    await checkImagesAreThere(dataset, dataset.splits.train);
    checkBestBy(bestBy, dataset);
    if (!dataset.splits.train.some((row) => dataset.labels.presence(row) === 'positive')) {
      throw new UserError(`${dataset.name}: no training image shows a class; there is nothing to learn`);
    }
    const trainingRows = data.subset
      ? chooseSubset(dataset.splits.train, dataset.labels, defined(data.subset))
      : dataset.splits.train;
    const remarks = [
      `${dataset.name}: ${dataset.classes.length} classes; splits: ${dataset.splitOrigin}`,
      state.text,
      ...validationRemarks(dataset),
    ];
    return { dataset, pixels, preparation, trainingRows, remarks, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A metric that is never defined would choose no epoch, which nobody should hear of after the last. */
function checkBestBy(bestBy: Configuration['bestBy'], dataset: Dataset): void {
  const { classImportance, labels, name, splits } = dataset;
  if (bestBy === 'f2Ciw' && !classImportance) {
    throw new UserError(
      `bestBy f2Ciw needs weights of the classes, which ${name} does not bring; choose macroF2 or mAP`,
    );
  }
  const isShown = splits.validation.some((row) => labels.presence(row) === 'positive');
  if (!isShown && !['f1Neg', 'loss', 'bce'].includes(bestBy)) {
    throw new UserError(
      `bestBy ${bestBy}: no validation image of ${name} shows a class; set bestBy to bce, or draw other splits (data.draw)`,
    );
  }
}

export interface ClassBalance {
  readonly classWeights: readonly number[];
  readonly negativeWeight: number;
  /** Classes without a training image; their weight is 0. */
  readonly emptyClasses: readonly string[];
}

/** Class-balancing weights from the counts of the training rows. */
export function balanceOf({ classes, labels }: Dataset, rows: Int32Array, beta: number): ClassBalance {
  const counts = new Float64Array(classes.length);
  let negatives = 0;
  for (const row of rows) {
    if (labels.presence(row) === 'negative') negatives++;
    for (let j = 0; j < classes.length; j++) if (labels.at(row, j) === 1) counts[j] = counts[j]! + 1;
  }
  const weights = effectiveNumberWeights(counts, negatives, { beta, emptyClass: 'zero' });
  return {
    classWeights: [...weights.classWeights],
    negativeWeight: weights.negativeWeight,
    emptyClasses: classes.filter((_, j) => counts[j] === 0),
  };
}

/** A hash of names, labels and splits. */
export function datasetFingerprint({ names, labels, splits, classes }: Dataset): string {
  const hash = createHash('sha256').update(JSON.stringify(classes)).update(names.bytes);
  const row = new Uint8Array(labels.classes);
  for (let i = 0; i < labels.rows; i++) {
    labels.copyRow(i, row, 0);
    hash.update(row);
  }
  for (const split of splitNames) hash.update(split).update(splits[split]);
  return hash.digest('hex');
}
