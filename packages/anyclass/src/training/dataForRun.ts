// The data of a run: the dataset, its images at the network's size or its features, and the training rows.

import { createHash } from 'node:crypto';
import { effectiveNumberWeights } from '@anyclass/core';
import { imageSizeOf, knownInputSize } from '../configuration/inputSize.js';
import { defined, preparedOptions } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import { mixedShare } from '../data/augmentation/mixing.js';
import { openInputs } from '../data/batches/openInputs.js';
import { type Dataset, instanceWord, type Preparation, splitNames } from '../data/dataset/dataset.js';
import type { InputFormat, InputSource, ModelInput } from '../data/dataset/inputs.js';
import { pixelFormat, readingOf } from '../data/dataset/preparation.js';
import { type FittedFeatures, fitStandardization } from '../data/features/standardization.js';
import { levelRemarks, surveySample } from '../data/images/levelSurvey.js';
import { checkImagesAreThere, checkJudgedImages } from '../data/images/storage/missingImages.js';
import { openPrepared } from '../data/openPrepared.js';
import { chooseSubset } from '../data/splits/subset.js';
import { counted } from '../errors/counted.js';
import { listed } from '../errors/listed.js';
import { UserError } from '../errors/userError.js';
import { smallMapWarning } from '../inspect/inputAdvice.js';
import { sizeRemarks } from '../inspect/tilesAdvice.js';
import { validationRemarks } from '../inspect/validationPositives.js';
import { featureNetworks, isFeatureNetwork } from '../networks/catalog.js';
import type { WeightFacts } from '../networks/weights/fileFacts.js';

/** The schema's default, which means that the user did not choose a size. */
const defaultInputSize = 224;

export interface RunData {
  readonly dataset: Dataset;
  readonly inputs: InputSource;
  /** The model's input: images preprocessed as in `preparation`, or features. */
  readonly input: ModelInput;
  /** Statistics of the features over the training rows, if there are features. */
  readonly features?: FittedFeatures | undefined;
  /** How images are decoded and normalized: the dataset's own settings, or the configuration's. */
  readonly preparation: Preparation;
  readonly trainingRows: Int32Array;
  /** Remarks for the log. */
  readonly remarks: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the data of a configuration.
 *
 * @param facts facts about the weights that training starts from
 * @param onNote called with findings while images are read, such as a damaged cache
 *
 * @example
 * const data = await openRunData(validateConfiguration({ data: { dataset: 'digits' } }));
 * data.trainingRows.length // 20000
 */
export async function openRunData(
  { data, network, epochs, bestBy, augmentation, mixing, evaluation }: Configuration,
  facts: WeightFacts = {},
  onNote?: (text: string) => void,
): Promise<RunData> {
  const dataset = await openPrepared(data.dataset, {
    ...preparedOptions(data, facts),
    ...(onNote && { onNote }),
  });
  const { preparation } = dataset;
  let inputs: InputSource | undefined;
  const close = async () => {
    await inputs?.close();
    await dataset.images.close();
  };
  try {
    const { format, input } = networkInput(network, dataset);
    if (dataset.features) refuseAugmentation({ augmentation, mixing }, dataset.name);
    const opened = await openInputs(dataset, format, data.cache, { onNote, remember: epochs > 1 });
    inputs = opened.inputs;
    const word = instanceWord(dataset);
    if (dataset.splits.train.length === 0)
      throw new UserError(`${dataset.name}: there are no training ${word}s`);
    if (!dataset.splits.validation.some((row) => dataset.labels.isLabeled(row))) {
      throw new UserError(
        `${dataset.name}: there are no labeled validation ${word}s; name a split, or set data.draw`,
      );
    }
    if (!canDecide(dataset)) {
      throw new UserError(
        `${dataset.name}: its decision split has no labeled positive ${word}; name more rows, or give it a larger share of the draw`,
      );
    }
    if (!dataset.features) {
      await checkImagesAreThere(dataset, dataset.splits.train);
      if (!data.allowPartial) {
        await checkJudgedImages(dataset, dataset.splits.validation);
        await checkJudgedImages(dataset, dataset.splits.decision);
        if (evaluation.test) await checkJudgedImages(dataset, dataset.splits.test);
      }
    }
    if (!dataset.splits.train.some((row) => dataset.labels.presence(row) === 'positive')) {
      throw new UserError(`${dataset.name}: no training ${word} has a class, so there is nothing to learn`);
    }
    checkBestBy(bestBy, dataset);
    if (evaluation.decision.per === 'group' && !dataset.groups) {
      throw new UserError(
        `evaluation.decision.per is group, but ${dataset.name} has no groups; set data.columns.group`,
        { setting: 'data.columns.group=COLUMN' },
      );
    }
    const trainingRows = data.subset
      ? chooseSubset(dataset.splits.train, dataset.labels, defined(data.subset))
      : dataset.splits.train;
    const features = dataset.features && (await fitStandardization(dataset.features, trainingRows));
    const survey = await surveySample(dataset, trainingRows);
    const remarks = [
      `${dataset.name}: ${counted(dataset.classes.length, 'class')}; splits: ${dataset.splitOrigin}`,
      opened.state,
      ...correctionRemarks(dataset),
      ...(dataset.features ? [] : smallMapWarning(network)),
      ...featureRemarks(features),
      ...validationRemarks(dataset),
      ...negativeRemarks(dataset, trainingRows),
      ...levelRemarks(survey),
      ...sizeRemarks(survey.side(), network),
    ];
    return { dataset, inputs, input, features, preparation, trainingRows, remarks, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether a decision can be fitted on the rows that are held back for it, if there are any. */
function canDecide({ splits: { decision }, labels }: Dataset): boolean {
  return decision.length === 0 || decision.some((row) => labels.presence(row) === 'positive');
}

/** The format in which the data reaches the network; images and features need different networks. */
function networkInput(
  network: Configuration['network'],
  { features, name: dataset, preparation, images }: Dataset,
): { readonly format: InputFormat; readonly input: ModelInput } {
  const { name } = network;
  const inputSize = knownInputSize(network);
  if (!isFeatureNetwork(name)) {
    if (features || images.absent !== undefined) {
      throw new UserError(
        `${dataset} holds features, but ${name} takes images; set network.name to ${featureNetworks.join(' or ')}`,
        { setting: 'network.name=mlp' },
      );
    }
    const { channels, mean, std } = preparation;
    return {
      format: pixelFormat(imageSizeOf(network), preparation),
      input: { channels, mean, std, ...readingOf(preparation) },
    };
  }
  if (!features) {
    throw new UserError(
      `${dataset} holds images, but ${name} takes features; choose another network.name, or compute features of the images with 'anyclass embed'`,
      { setting: 'network.name=tresnet-m' },
    );
  }
  const { length } = features.names;
  if (inputSize !== length && inputSize !== defaultInputSize) {
    throw new UserError(
      `network.inputSize is ${inputSize}, but ${dataset} has ${counted(length, 'feature')}; remove it: ${name} takes all features`,
      { setting: `network.inputSize=${length}` },
    );
  }
  return { format: { features: length }, input: { features: features.names } };
}

function refuseAugmentation(
  { augmentation, mixing }: Pick<Configuration, 'augmentation' | 'mixing'>,
  dataset: string,
): void {
  if (mixedShare(mixing) > 0) {
    throw new UserError(`mixing changes images, but ${dataset} holds features; leave it out`, {
      setting: 'mixing={}',
    });
  }
  if (augmentation === 'auto' || augmentation === 'none') return;
  throw new UserError(`augmentation changes images, but ${dataset} holds features; set it to none`, {
    setting: 'augmentation=none',
  });
}

function correctionRemarks({ corrections }: Dataset): string[] {
  if (!corrections) return [];
  const { file, labels, images, changed } = corrections;
  return [
    `${file} corrects ${counted(labels, 'label')} of ${counted(images, 'image')}; ${changed} differ from the data`,
  ];
}

function featureRemarks(features: FittedFeatures | undefined): string[] {
  if (!features) return [];
  const { constant, missing } = features;
  return [
    ...(constant.length > 0
      ? [`warning: constant in all training rows, and therefore without effect: ${listed(constant)}`]
      : []),
    ...(missing > 0
      ? [`${missing} values are missing in the training rows; each counts as the mean of its feature`]
      : []),
  ];
}

/** A metric that is never defined would select no epoch, so this fails before training, not after it. */
function checkBestBy(bestBy: Configuration['bestBy'], dataset: Dataset): void {
  const { classImportance, labels, name, splits } = dataset;
  const word = instanceWord(dataset);
  if (bestBy === 'f2Ciw' && !classImportance) {
    throw new UserError(
      `bestBy f2Ciw needs class weights, which ${name} does not have; choose macroF2 or mAP`,
    );
  }
  if (bestBy === 'f1Neg' && !splits.validation.some((row) => labels.presence(row) === 'negative')) {
    throw new UserError(
      `bestBy f1Neg: no validation ${word} of ${name} is negative; set bestBy to bce or mAP, or draw other splits (data.draw)`,
    );
  }
  const isShown = splits.validation.some((row) => labels.presence(row) === 'positive');
  if (!isShown && !['f1Neg', 'loss', 'bce'].includes(bestBy)) {
    throw new UserError(
      `bestBy ${bestBy}: no validation ${word} of ${name} shows a class; set bestBy to bce, or draw other splits (data.draw)`,
    );
  }
}

/** Warns about a training set without negatives, with the counts. */
function negativeRemarks(dataset: Dataset, rows: Int32Array): string[] {
  const { labels, classes } = dataset;
  const word = instanceWord(dataset);
  const counts = { positive: 0, negative: 0, undecided: 0 };
  for (const row of rows) counts[labels.presence(row)] += 1;
  const { positive, negative, undecided } = counts;
  if (negative > 0) return [];
  if (undecided === 0) {
    return [
      `warning: all ${positive} training ${word}s are positive: nothing teaches the network what no class looks like`,
    ];
  }
  const unknown = classes.filter((_, j) => rows.some((row) => Number.isNaN(labels.at(row, j))));
  return [
    `warning: no training ${word} is negative: ${positive} are positive and ${undecided} undecided, since ${listed(unknown)} may be present there; undecided ${word}s train the classes that are known, and the any-class term learns from positives alone`,
  ];
}

export interface ClassBalance {
  readonly classWeights: readonly number[];
  readonly negativeWeight: number;
  /** Classes without a training image; their weight is 0. */
  readonly emptyClasses: readonly string[];
}

/**
 * Class-balancing weights from the counts of positives and negatives in the training rows; undecided rows do
 * not count.
 */
export function balanceOf({ classes, labels }: Dataset, rows: Int32Array, beta: number): ClassBalance {
  const counts = new Float64Array(classes.length);
  let negatives = 0;
  for (const row of rows) {
    if (labels.presence(row) === 'negative') negatives++;
    for (const j of labels.present(row)) counts[j] = counts[j]! + 1;
  }
  const weights = effectiveNumberWeights(counts, negatives, { beta, emptyClass: 'zero' });
  return {
    classWeights: [...weights.classWeights],
    negativeWeight: weights.negativeWeight,
    emptyClasses: classes.filter((_, j) => counts[j] === 0),
  };
}

/** A hash of names, labels, splits and the names of features. */
export function datasetFingerprint({ names, labels, splits, classes, features }: Dataset): string {
  const hash = createHash('sha256').update(JSON.stringify(classes)).update(names.bytes);
  if (features) hash.update(JSON.stringify(features.names));
  const targets = new Float32Array(labels.classes);
  const bytes = new Uint8Array(labels.classes);
  for (let row = 0; row < labels.rows; row++) {
    labels.copyRow(row, targets, 0);
    // One byte per label: this is how runs were recorded before labels could be soft.
    targets.forEach((target, j) => {
      bytes[j] = Number.isNaN(target) ? 255 : target;
    });
    hash.update(bytes);
    if (labels.hasSoft) hash.update(targets);
  }
  for (const split of splitNames) {
    // Runs of data without such rows keep their fingerprints.
    if (split !== 'decision' || splits.decision.length > 0) hash.update(split).update(splits[split]);
  }
  return hash.digest('hex');
}
