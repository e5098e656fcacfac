// Suggests a configuration for a dataset.

import { availableParallelism } from 'node:os';
import { assumedRate, runSeconds } from '../configuration/expectedTime.js';
import { defined, preparedOptions } from '../configuration/openOptions.js';
import { type PlainObject, type Settings, withSettings } from '../configuration/overrides.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { ImageSource } from '../data/dataset/imageSource.js';
import type { ImageReading } from '../data/dataset/reading/pixelFormat.js';
import { createDecoder } from '../data/images/decoding/decoder.js';
import { surveySample } from '../data/images/levelSurvey.js';
import { checkImagesAreThere } from '../data/images/storage/missingImages.js';
import { openPrepared } from '../data/openPrepared.js';
import { visibleGpus } from '../distribution/ownGpu.js';
import { counted } from '../errors/counted.js';
import { networkStride } from '../networks/catalog.js';
import { countSplits } from './countLabels.js';
import { isUnlearnable } from './findProblems.js';
import { fittingInput, inputEfforts, sidesOf, smallMapWarning } from './inputAdvice.js';
import { lambdaAdvice } from './lambdaAdvice.js';
import { lookAlikeAdvice } from './lookAlikeAdvice.js';
import { candidatesText, promisableText, promisableWith } from './promisableWith.js';
import { tilesAdvice } from './tilesAdvice.js';

export interface Suggestion {
  /** The fields that differ from their defaults. */
  readonly configuration: PlainObject;
  /** What was found, and what follows from it. */
  readonly remarks: readonly string[];
  /** About how long training with it takes, by the usual speed of this machine's cores, or of a fast GPU. */
  readonly expectedSeconds: number;
}

export interface SuggestionOptions {
  /** Whether training will have a GPU, which makes larger networks and inputs and more epochs affordable. Default: whether this machine has one. */
  readonly hasGpu?: boolean;
}

/**
 * Examines a dataset and suggests how to train on it: λ from the share of negatives; network, input size, and
 * epochs from the images; with a GPU and enough images, as the recipe `strong` does. Fields given in `set` stay as they are.
 *
 * @example
 * const { configuration } = await suggestConfiguration('digits');
 * configuration.network // { name: 'tresnet-s', inputSize: 64 }
 */
export async function suggestConfiguration(
  spec: string,
  set: Settings = {},
  { hasGpu = set['device'] !== 'cpu' && visibleGpus().length > 0 }: SuggestionOptions = {},
): Promise<Suggestion> {
  const given = withSettings({ data: { dataset: spec } }, set);
  const { data } = validateConfiguration(given, `${spec} with the given options`);
  const dataset = await openPrepared(data.dataset, preparedOptions(data));
  try {
    const { train } = dataset.splits;
    if (!dataset.features) await checkImagesAreThere(dataset, train);
    const counts = { positive: 0, negative: 0, undecided: 0 };
    for (const row of train) counts[dataset.labels.presence(row)] += 1;
    const advice = lambdaAdvice(counts.negative / Math.max(1, counts.positive + counts.negative));
    const imageSide = dataset.features
      ? undefined
      : await typicalSide(dataset.images, train, dataset.preparation);
    const isLong = hasGpu && imageSide !== undefined && train.length >= fewImages;
    const name = isLong ? 'tresnet-m' : 'tresnet-s';
    const input =
      imageSide === undefined
        ? undefined
        : fittingInput(
            imageSide,
            networkStride(name)!,
            sidesOf(dataset),
            inputEfforts[isLong ? 'long' : hasGpu ? 'short' : 'cpu'],
          );
    const inputSize = input?.size;
    // For the network and input that the user may have set.
    const used =
      input &&
      validateConfiguration(withSettings({ ...given, network: { name, inputSize: input.size } }, set))
        .network;
    const stride = used && networkStride(used.name, defined(used));
    const tiled =
      stride !== undefined && typeof used?.inputSize === 'number'
        ? tilesAdvice(imageSide!, used.inputSize, stride, sidesOf(dataset))
        : undefined;
    const tiles = tiled?.isNeeded ? tiled.tiles : undefined;
    const most = tiles ? 8 : 64;
    const batchSize = Math.max(1, Math.min(most, Math.floor(train.length / 4)));
    const lookAlikes = await lookAlikeAdvice(dataset);
    const levels = (await surveySample(dataset, train)).statistics();
    const window = levels && levels.images > levels.withOwnWindow ? levels.suggested : undefined;
    const suggested: ConfigurationInput = {
      data: {
        dataset: spec,
        ...(window && { window }),
        ...(lookAlikes.isAdvised && { groups: 'look-alikes' }),
      },
      network: inputSize === undefined ? { name: 'mlp' } : { name, inputSize, ...(tiles && { tiles }) },
      loss: { name: 'any-bce', lambda: advice.start },
      epochs: epochsFor(train.length, isLong ? 4_000_000 : 400_000),
      batchSize: isLong && !tiles ? 256 : batchSize,
      optimizer: { name: 'adamw', rate: isLong || inputSize === undefined ? 0.001 : 0.002 },
      schedule: { name: 'cosine', every: 'step', ...(!isLong && { warmUpEpochs: 1 }) },
      ...(isLong && { sizes: 'progressive', augmentation: 'crops' }),
      finalWeights: 'last',
    };
    const instances = dataset.features
      ? `${counted(train.length, 'training row')} of ${counted(dataset.features.names.length, 'feature')}`
      : counted(train.length, 'training image');
    const configuration = withSettings(suggested, set);
    const { network, epochs, finalWeights } = validateConfiguration(
      configuration,
      `${spec} with the given options`,
    );
    const isOwnInput = network.name === name && network.inputSize === inputSize;
    const { splits, classes } = dataset;
    const size = {
      classes: classes.length,
      train: train.length,
      validation: splits.validation.length,
      test: splits.test.length,
    };
    const shown = typeof network.inputSize === 'string' ? (inputSize ?? 224) : network.inputSize;
    const rate = assumedRate({ ...network, inputSize: shown }, size.classes, hasGpu ? 'gpu' : 'cpu');
    return {
      configuration,
      expectedSeconds: runSeconds(epochs, size, rate),
      remarks: [
        `${dataset.name}: ${instances}, ${counted(dataset.classes.length, 'class')} (${dataset.classes.slice(0, 8).join(', ')}${dataset.classes.length > 8 ? ', …' : ''})`,
        `splits: ${dataset.splitOrigin}`,
        `λ ${advice.start}: ${advice.reason}`,
        promisableText(promisableWith(dataset)),
        ...(finalWeights === 'last' ? [candidatesText(promisableWith(dataset))] : []),
        ...(input && isOwnInput ? [`input ${input.size} px: ${input.reason}`] : []),
        ...(isLong ? ['there is a GPU: the network, epochs, sizes and crops of the recipe strong'] : []),
        ...(input && !isOwnInput ? smallMapWarning(network) : []),
        ...(tiled ? [tiled.reason] : []),
        ...lookAlikes.remarks,
        ...(window
          ? [`images have more than 8 bits: data.window [${window.join(', ')}] covers all levels found`]
          : []),
        ...(!hasGpu && availableParallelism() < 8 && inputSize !== undefined && shown > 128
          ? [
              `${shown} px is slow on ${availableParallelism()} cores without a GPU; a smaller network.inputSize is faster`,
            ]
          : []),
        ...(isUnlearnable(countSplits(dataset))
          ? [
              'warning: no training row has a class, and training will refuse to start; check which columns are read as classes, and how labels are written and separated (data.columns)',
            ]
          : []),
        ...(splits.validation.some((row) => dataset.labels.isLabeled(row))
          ? []
          : [
              'warning: there are no labeled validation rows, and training will refuse to start; name a split, or draw new ones with data.draw={}',
            ]),
      ],
    };
  } finally {
    await dataset.images.close();
  }
}

/** With fewer training images, long training with crops was not tried. */
const fewImages = 5000;

function epochsFor(rows: number, images: number): number {
  return Math.max(10, Math.min(40, Math.round(images / Math.max(1, rows))));
}

/** The median of the shorter sides of a few images. */
export async function typicalSide(
  images: ImageSource,
  rows: Int32Array,
  reading: ImageReading,
): Promise<number> {
  const sides: number[] = [];
  const decoder = createDecoder({ ...reading, width: 1, height: 1, channels: 3 }, { processes: 1 });
  for (const row of rows.subarray(0, 25)) {
    try {
      const { width, height } = await decoder.survey(await images.read(row));
      sides.push(Math.min(width, height));
    } catch {
      // An unreadable image says nothing about the others.
    }
  }
  await decoder.close();
  return sides.sort((a, b) => a - b)[Math.floor(sides.length / 2)] ?? 224;
}
