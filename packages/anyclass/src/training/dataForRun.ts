// The data of a run: the dataset, its images at the network's size, and the training rows.

import { createHash } from 'node:crypto';
import { effectiveNumberWeights } from '@anyclass/core';
import { defined, openData } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import { openPixels } from '../data/cache/openCache.js';
import { type Dataset, type Preparation, splitNames } from '../data/dataset.js';
import { levelRemarks } from '../data/images/levels/levelSurvey.js';
import { checkImagesAreThere, checkJudgedImages } from '../data/images/missingImages.js';
import type { PixelSource } from '../data/images/pixelSource.js';
import { pixelFormat } from '../data/preparation.js';
import { chooseSubset } from '../data/splits/subset.js';
import { listed } from '../errors/listed.js';
import { UserError } from '../errors/userError.js';
import { validationRemarks } from '../inspect/validationPositives.js';
import type { WeightFacts } from '../networks/weights/findWeights.js';

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
 * @param facts of the weights that training starts from
 * @param onNote told what turns out while images are read, such as a damaged cache
 *
 * @example
 * const data = await openRunData(validateConfiguration({ data: { dataset: 'digits' } }));
 * data.trainingRows.length // 20000
 */
export async function openRunData(
  { data, network, bestBy, evaluation }: Configuration,
  facts: WeightFacts = {},
  onNote?: (text: string) => void,
): Promise<RunData> {
  const dataset = await openData(data, facts);
  const { preparation } = dataset;
  const format = pixelFormat(network.inputSize, preparation);
  const { pixels, state } = await openPixels(dataset, format, data.cache, { onNote });
  const close = async () => {
    await pixels.close();
    await dataset.images.close();
  };
  try {
    if (dataset.splits.train.length === 0)
      throw new UserError(`${dataset.name}: there are no training images`);
    if (!dataset.splits.validation.some((row) => dataset.labels.isLabeled(row))) {
      throw new UserError(
        `${dataset.name}: there are no labeled validation images; name a split, or set data.draw`,
      );
    }
    await checkImagesAreThere(dataset, dataset.splits.train);
    if (!data.allowPartial) {
      await checkJudgedImages(dataset, dataset.splits.validation);
      if (evaluation.test) await checkJudgedImages(dataset, dataset.splits.test);
    }
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
      ...negativeRemarks(dataset, trainingRows),
      ...(await levelRemarks(dataset, trainingRows)),
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
  if (bestBy === 'f1Neg' && !splits.validation.some((row) => labels.presence(row) === 'negative')) {
    throw new UserError(
      `bestBy f1Neg: no validation image of ${name} is negative; set bestBy to bce or mAP, or draw other splits (data.draw)`,
    );
  }
  const isShown = splits.validation.some((row) => labels.presence(row) === 'positive');
  if (!isShown && !['f1Neg', 'loss', 'bce'].includes(bestBy)) {
    throw new UserError(
      `bestBy ${bestBy}: no validation image of ${name} shows a class; set bestBy to bce, or draw other splits (data.draw)`,
    );
  }
}

/** What a training set without negatives means for the run, with its counts. */
function negativeRemarks({ labels, classes }: Dataset, rows: Int32Array): string[] {
  const counts = { positive: 0, negative: 0, undecided: 0 };
  for (const row of rows) counts[labels.presence(row)] += 1;
  const { positive, negative, undecided } = counts;
  if (negative > 0) return [];
  if (undecided === 0) {
    return [
      `warning: all ${positive} training images are positive: nothing teaches the network what no class looks like`,
    ];
  }
  const unknown = classes.filter((_, j) => rows.some((row) => Number.isNaN(labels.at(row, j))));
  return [
    `warning: no training image is negative: ${positive} are positive and ${undecided} undecided, since ${listed(unknown)} may be present there; undecided images train the classes that are known, and the any-class term learns from positives alone`,
  ];
}

export interface ClassBalance {
  readonly classWeights: readonly number[];
  readonly negativeWeight: number;
  /** Classes without a training image; their weight is 0. */
  readonly emptyClasses: readonly string[];
}

/** Class-balancing weights from the counts of the training rows; undecided ones count nowhere. */
export function balanceOf({ classes, labels }: Dataset, rows: Int32Array, beta: number): ClassBalance {
  const counts = new Float64Array(classes.length);
  let negatives = 0;
  for (const row of rows) {
    if (labels.presence(row) === 'negative') negatives++;
    for (let j = 0; j < classes.length; j++) if (labels.isPresent(row, j)) counts[j] = counts[j]! + 1;
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
  const targets = new Float32Array(labels.classes);
  const bytes = new Uint8Array(labels.classes);
  for (let row = 0; row < labels.rows; row++) {
    labels.copyRow(row, targets, 0);
    // A byte each where none is soft: runs were recorded so before labels could be.
    targets.forEach((target, j) => {
      bytes[j] = Number.isNaN(target) ? 255 : target;
    });
    hash.update(bytes);
    if (labels.hasSoft) hash.update(targets);
  }
  for (const split of splitNames) hash.update(split).update(splits[split]);
  return hash.digest('hex');
}
