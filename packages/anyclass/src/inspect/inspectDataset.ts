// Inspects a dataset: counts labels (`countLabels`), examines images (`examineImages`), finds problems
// (`findProblems`, `lambdaAdvice`), and shows the result as text (`inspectText`) or as a page (`inspectPage`,
// `datasetCharts`, `samples`).

import { closeDataset, type Dataset } from '../data/dataset/dataset.js';
import type { DuplicateGroups } from '../data/lookAlikes/duplicates.js';
import { type OpenOptions, openDataset } from '../data/openDataset.js';
import { networkStride } from '../networks/catalog.js';
import {
  balanceWeights,
  countClasses,
  countFamilies,
  countPartialLabels,
  countSplits,
  countTogether,
} from './countLabels.js';
import { examineFeatures } from './examineFeatures.js';
import { type ExamineOptions, examineImages } from './examineImages.js';
import { featureProblems, imageProblems, labelProblems, suspectProblems } from './findProblems.js';
import { foundImages } from './foundImages.js';
import { fittingInput, inputEfforts, inputView, sidesOf } from './inputAdvice.js';
import type { ImageStatistics, Inspection } from './inspection.js';
import { labelSuspects, type SavedScores } from './labelSuspects.js';
import { lambdaAdvice } from './lambdaAdvice.js';

import { promisableWith } from './promisableWith.js';
import { tilesAdvice } from './tilesAdvice.js';

export interface InspectOptions extends ExamineOptions {
  /** How the dataset is read. */
  readonly open?: OpenOptions;
  /** Whether to read the images; if not, only tables are examined. Default true. */
  readonly images?: boolean;
  /** β of the class-balancing weights. Default 0.9999. */
  readonly beta?: number;
  /** A model's saved scores, for finding doubtful labels. */
  readonly scores?: readonly SavedScores[];
  /** The mean logits of training images over the epochs, for the same. */
  readonly margins?: SavedScores | undefined;
}

/**
 * Examines a dataset before training on it: what it contains, and what is wrong with it.
 *
 * @param data a dataset as written on the command line (DATASET), or an open dataset
 *
 * @example
 * const inspection = await inspectDataset('digits', { limit: 500 });
 * inspection.lambda.start // 0.02
 */
export async function inspectDataset(
  data: string | Dataset,
  { open, ...options }: InspectOptions = {},
): Promise<Inspection> {
  if (typeof data !== 'string') return inspectOpen(data, options);
  const dataset = await openDataset(data, open);
  try {
    return await inspectOpen(dataset, options);
  } finally {
    await closeDataset(dataset);
  }
}

async function inspectOpen(dataset: Dataset, options: Omit<InspectOptions, 'open'>): Promise<Inspection> {
  const splits = countSplits(dataset);
  const classCounts = countClasses(dataset);
  const train = splits[0]!;
  const withImages = options.images !== false && dataset.images.absent === undefined;
  const examined = withImages ? await examineImages(dataset, options) : undefined;
  const vectors = dataset.features && (await examineFeatures(dataset, dataset.features));
  const { scores, margins } = options;
  const suspects = scores ? labelSuspects(dataset, scores, margins) : [];
  return {
    dataset: dataset.name,
    splitOrigin: dataset.splitOrigin,
    classes: dataset.classes,
    splits,
    classCounts,
    labelCounts: countPartialLabels(dataset),
    ...countFamilies(dataset),
    ...countTogether(dataset),
    balance: balanceWeights(classCounts, splits, options.beta ?? 0.9999),
    ...(dataset.groups && { groupColumn: dataset.groups.column }),
    promisable: promisableWith(dataset),
    ...(dataset.corrections && { corrections: dataset.corrections }),
    lambda: lambdaAdvice(train.negative / Math.max(1, train.positive + train.negative)),
    ...(examined?.statistics && { images: examined.statistics }),
    ...(examined?.statistics && { input: inputAdvice(dataset, examined.statistics, options.size?.width) }),
    ...(vectors && { features: vectors.summary }),
    problems: [
      ...labelProblems(dataset, splits, classCounts),
      ...(examined ? imageProblems(dataset, examined) : []),
      ...(vectors ? featureProblems(dataset, vectors) : []),
      ...suspectProblems(suspects),
    ],
    nearDuplicates: nearSets(dataset, examined?.nearDuplicates ?? []),
    suspects,
    ...(scores && {
      suspected: {
        heldOut: scores.reduce((sum, { names }) => sum + names.length, 0),
        training: margins?.names.length ?? 0,
      },
    }),
    quarantined: examined?.quarantined ?? [],
  };
}

/** The network for which inputs are compared; most others have the same stride. */
const usualNetwork = 'tresnet-m';

/** What is left at the suggested input, at the one asked for, and at a few others. */
function inputAdvice(
  dataset: Dataset,
  { width, height }: ImageStatistics,
  asked: number | undefined,
): NonNullable<Inspection['input']> {
  const stride = networkStride(usualNetwork)!;
  const sides = sidesOf(dataset);
  const imageSide = Math.min(width.median, height.median);
  // As the recipe `strong` and `init` on a GPU choose it.
  const { size: suggested, reason } = fittingInput(imageSide, stride, sides, inputEfforts.long);
  const tiled = tilesAdvice(imageSide, suggested, stride, sides);
  const sizes = [...new Set([64, 128, 224, 448, suggested, asked ?? suggested])].sort((a, b) => a - b);
  return {
    network: usualNetwork,
    stride,
    suggested,
    reason: tiled ? `${reason}. ${tiled.isNeeded ? 'init sets network.tiles: ' : ''}${tiled.reason}` : reason,
    objects: sides?.length ?? 0,
    views: sizes.map((size) => inputView(size, stride, sides)),
  };
}

/** Sets of similar images, those in several splits first: they distort the metrics. */
function nearSets(dataset: Dataset, sets: DuplicateGroups): Inspection['nearDuplicates'] {
  const imageOf = foundImages(dataset);
  const found = sets.map((rows) => rows.map(imageOf));
  const splits = (images: (typeof found)[number]) => new Set(images.map(({ split }) => split)).size;
  return found.sort((a, b) => splits(b) - splits(a) || a[0]!.row - b[0]!.row);
}
