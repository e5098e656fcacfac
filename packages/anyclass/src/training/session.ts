// Everything that a run works with, built from its configuration.

import { keep, keepFreedMemory, optim, setSeed, setThreadCount, Tensor, tensor } from '@anyclass/torch';
import { knownInputSize } from '../configuration/inputSize.js';
import { defined } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import { mixedShare } from '../data/augmentation/mixing.js';
import { type Augmentation, augmentations } from '../data/augmentation/parameters.js';
import type { TileLabels } from '../data/augmentation/tileTargets.js';
import { createLoader, type Loader } from '../data/batches/loader.js';
import { drawnRows, rowsOfStep } from '../data/batches/order.js';
import { instanceWord } from '../data/dataset/dataset.js';
import { takesFeatures } from '../data/dataset/inputs.js';
import { copyFromFirstNow } from '../distribution/exchange.js';
import { ownThreads, type Ranks } from '../distribution/ranks.js';
import { largestShare } from '../distribution/shares.js';
import { UserError } from '../errors/userError.js';
import { type ComputeSettings, chooseCompute } from '../inference/computeDevice.js';
import { checkAddressSpace, trainingSpace } from '../inference/memory.js';
import { createScorer, type Scorer } from '../inference/scorer.js';
import { namedLoss } from '../losses/lossNames.js';
import { familyOptions } from '../networks/catalog.js';
import { createNetwork } from '../networks/createNetwork.js';
import { synchronizeNorms } from '../networks/layers/activatedBatchNorm.js';
import { moveNetwork } from '../networks/moveNetwork.js';
import type { Network } from '../networks/network.js';
import { Perceptron } from '../networks/perceptron.js';
import type { FoundWeights } from '../networks/weights/findWeights.js';
import { type AveragedWeights, averageWeights } from './averagedWeights.js';
import { balanceOf, type RunData } from './dataForRun.js';
import { idleFields } from './idleFields.js';
import { createMargins, type Margins } from './margins.js';
import { createOptimizer, createSchedule, type trainedPart, warmUpWarning } from './optimizer.js';
import { firstProgress, type Progress } from './progress.js';
import { samplingOf } from './sampling.js';
import type { SplitScores } from './splitScores.js';
import { startFrom } from './startingWeights.js';
import type { StepParts } from './stepParts.js';
import type { Teacher } from './teacher.js';
import { chooseTileLabels } from './tileLabels.js';
import { checkSizes } from './trainingSizes.js';
import { createTrainingStep, type TrainingStep } from './trainingStep.js';

export interface Session extends Disposable {
  readonly configuration: Configuration;
  readonly data: RunData;
  /** The processes that train together; undefined for a single process. */
  readonly ranks: Ranks | undefined;
  readonly settings: ComputeSettings;
  readonly network: Network;
  readonly average: AveragedWeights | undefined;
  readonly optimizer: optim.Optimizer;
  readonly scheduler: optim.Scheduler;
  readonly scaler: optim.GradScaler;
  readonly loss: StepParts['loss'];
  readonly loader: Loader;
  readonly augmentation: Augmentation;
  /** How tiles learn from boxes; undefined if they learn from labels of whole images, or if there are none. */
  readonly tileLabels: TileLabels | undefined;
  /** The logits of training labels over the epochs; undefined if they are not recorded. */
  readonly margins: Margins | undefined;
  /** One step for each part that can train: on a GPU each is captured separately. */
  readonly steps: Readonly<Record<ReturnType<typeof trainedPart>, TrainingStep>>;
  readonly scorer: Scorer;
  readonly evaluationBatch: number;
  progress: Progress;
  /** False if it was restored from what a finished run keeps, which has the best weights but not the last ones. */
  hasLastWeights: boolean;
  /** The last validation of this process and the epoch, from 1, that it scored. */
  validated: { readonly epoch: number; readonly scores: SplitScores } | undefined;
  readonly remarks: readonly string[];
}

/** The network that is validated and saved: the average, if there is one. */
export function judgedNetwork({ network, average }: Session): Network {
  return average?.network ?? network;
}

export interface SessionOptions {
  /** Not needed if a checkpoint is restored. */
  readonly weights?: FoundWeights | undefined;
  readonly teacher?: Teacher | undefined;
  readonly ranks?: Ranks | undefined;
}

/** Builds a session; the same configuration, data and weights give the same initial state on every rank. */
export function createSession(
  configuration: Configuration,
  data: RunData,
  { weights, teacher, ranks }: SessionOptions = {},
): Session {
  const { network: chosen, batchSize, averageDecay, clipNorm, accumulation, seed } = configuration;
  checkShares(configuration, ranks);
  checkPairs(configuration, ranks);
  if (configuration.threads !== undefined) setThreadCount(configuration.threads);
  else if (ranks && process.env['OMP_NUM_THREADS'] === undefined) setThreadCount(ownThreads());
  keepFreedMemory(); // every step allocates what the last one freed
  const settings = chooseCompute(configuration);
  setSeed(seed);
  const { name, head, mirror, tiles } = chosen;
  const network = createNetwork(name, {
    classes: data.dataset.classes.length,
    inputSize: takesFeatures(data.input) ? data.input.features.length : knownInputSize(chosen),
    ...defined({ head, mirror, tiles, ...familyOptions.parse(chosen) }),
  });
  if (network instanceof Perceptron && data.features) network.standardizeBy(data.features);
  const remarks = [...data.remarks, ...warmUpWarning(configuration), ...idleFields(configuration)];
  if (weights) remarks.push(...startFrom(network, weights, data));
  moveNetwork(network, settings.device);
  if (ranks) {
    copyFromFirstNow(ranks, network.stateDict().values());
    synchronizeNorms(network, ranks.group);
    if (!ranks.isFirst) setSeed(seedOfRank(seed, ranks.rank));
  }
  remarks.push(...checkSizes(network, configuration));
  const optimizer = createOptimizer(network, configuration);
  const scheduler = new optim.Scheduler(optimizer, createSchedule(configuration));
  const scaler = new optim.GradScaler({ enabled: settings.precision === 'float16' });
  const average = averageDecay === undefined ? undefined : averageWeights(network, averageDecay);
  const sampling = samplingOf(configuration, data.dataset.labels, data.trainingRows);
  if (sampling) remarks.push(sampling.remark);
  const loss = lossOptions(configuration, data, settings, remarks);
  const tileLabels = chooseTileLabels(configuration, data, network, teacher);
  remarks.push(...tileLabels.remarks);
  const stepParts = {
    network,
    optimizer,
    scaler,
    loss,
    settings,
    batchSize: ownBatch(batchSize, accumulation, ranks),
    accumulation,
    clipNorm,
    average,
    ranks,
  };
  checkAddressSpace(trainingSpace, ', or lower batchSize or network.inputSize');
  const evaluationBatch = configuration.evaluation.batchSize ?? largestShare(batchSize, ranks);
  return {
    configuration,
    data,
    ranks,
    settings,
    network,
    average,
    optimizer,
    scheduler,
    scaler,
    loss,
    loader: createLoader(data.dataset, data.inputs, {
      rows: data.trainingRows,
      batchSize,
      shuffle: true,
      rates: sampling?.rates,
      weightOf: sampling?.weightOf,
      changeTargets: teacher,
      dropLast: drawnRows({ rows: data.trainingRows, rates: sampling?.rates }) >= batchSize,
      seed,
      strict: configuration.data.strict,
      threads: 2 * ownThreads(),
      ...(ranks && { rank: ranks.rank, world: ranks.worldSize, parts: accumulation }),
    }),
    augmentation: chosenAugmentation(configuration, data),
    tileLabels: tileLabels.labels,
    margins: configuration.margins ? createMargins(data, ranks) : undefined,
    steps: { lastLayer: createTrainingStep(stepParts), everything: createTrainingStep(stepParts) },
    scorer: createScorer(average?.network ?? network, {
      ...settings,
      input: data.input,
      batchSize: evaluationBatch,
    }),
    evaluationBatch,
    progress: firstProgress(),
    hasLastWeights: true,
    validated: undefined,
    remarks,
    [Symbol.dispose]() {
      network.dispose();
      average?.network.dispose();
      for (const state of optimizer.stateDict().state.values()) state.dispose();
      if (loss.balance?.classWeights instanceof Tensor) loss.balance.classWeights.dispose();
    },
  };
}

/** Layers that draw at random, such as stochastic depth, draw differently on each rank. */
function seedOfRank(seed: number, rank: number): number {
  return (seed + rank * 0x9e3779b1) % 2 ** 31;
}

/** The number of images that this rank has in a full batch. */
function ownBatch(batchSize: number, parts: number, ranks: Ranks | undefined): number {
  if (!ranks) return batchSize;
  const rows = new Int32Array(batchSize);
  const { rank, worldSize: world } = ranks;
  return rowsOfStep(
    { rows, batchSize, shuffle: false, seed: 0, dropLast: false, rank, world, parts },
    rows,
    0,
  ).length;
}

function checkShares({ batchSize }: Configuration, ranks: Ranks | undefined): void {
  if (ranks && batchSize < ranks.worldSize) {
    throw new UserError(
      `batchSize is ${batchSize}: too few images for ${ranks.worldSize} ranks; it counts the images of all ranks together`,
      { setting: `batchSize=${ranks.worldSize}` },
    );
  }
}

/** Images are mixed in pairs, which must not be divided among ranks: then any number of ranks trains on the same images. */
function checkPairs({ batchSize, accumulation, mixing }: Configuration, ranks: Ranks | undefined): void {
  if (!ranks || mixedShare(mixing) === 0) return;
  const multiple = 2 * ranks.worldSize * accumulation;
  if (batchSize % multiple === 0) return;
  throw new UserError(
    `batchSize is ${batchSize}; mixing pairs images, so with ${ranks.worldSize} ranks and accumulation ${accumulation} it must be a multiple of ${multiple}`,
    { setting: `batchSize=${multiple * Math.ceil(batchSize / multiple)}` },
  );
}

function lossOptions(
  { loss: { name, alpha, beta, ...parts } }: Configuration,
  { dataset, trainingRows }: RunData,
  { device }: ComputeSettings,
  remarks: string[],
): Session['loss'] {
  const options = { ...namedLoss(name, alpha), ...parts };
  if (beta === null) return options;
  const { classWeights, negativeWeight, emptyClasses } = balanceOf(dataset, trainingRows, beta);
  if (emptyClasses.length > 0)
    remarks.push(
      `no training ${instanceWord(dataset)} has ${emptyClasses.join(', ')}, so the model cannot learn them`,
    );
  const weights = keep(tensor(Float32Array.from(classWeights), { device }));
  return { ...options, balance: { classWeights: weights, negativeWeight } };
}

function chosenAugmentation({ augmentation }: Configuration, { preparation }: RunData): Augmentation {
  if (augmentation === 'auto') return augmentations[preparation.augmentation];
  return typeof augmentation === 'string' ? augmentations[augmentation] : defined(augmentation);
}
