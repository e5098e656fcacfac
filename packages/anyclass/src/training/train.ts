// Training: epochs of steps, each followed by validation, a line in the log and a checkpoint.

import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { engineInfo } from '@anyclass/torch';
import type { Configuration, ConfigurationInput } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { listed } from '../errors/listed.js';
import { messageOf, reasonOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import type { BestMetric } from '../events/bestMetric.js';
import type { EpochRecord } from '../events/epochRecord.js';
import type { RunSummary } from '../events/runSummary.js';
import { writeRunReport } from '../reports/runReport.js';
import { appendEpoch, keepEpochs } from '../runs/metricsLog.js';
import { loadModel } from '../runs/modelFile.js';
import {
  absolutePaths,
  createRunFolder,
  defaultRunFolder,
  makeInnerFolders,
  openRun,
  type RunPaths,
  refuseOldRun,
  saveRunRecord,
} from '../runs/runFolder.js';
import { lockRun } from '../runs/runLock.js';
import { joinTables, readTable } from '../runs/scoreFiles.js';
import { readSummary } from '../runs/summary.js';
import { version } from '../runs/version.js';
import { pruneCheckpoints, removePartial, takeNewestCheckpoint, writeCheckpoint } from './checkpoint.js';
import { datasetFingerprint, openRunData } from './dataForRun.js';
import { brokenWeights, lateDivergence } from './divergence.js';
import { finishRun } from './finishRun.js';
import { quietLog, type TrainingLog } from './log.js';
import { firstStep, improvedMetrics, metricValue, type Validation } from './progress.js';
import { saveWeights } from './saveWeights.js';
import { checkpointOf, createSession, restoreSession, type Session } from './session.js';
import { trainEpoch } from './trainEpoch.js';
import { validate } from './validate.js';

export interface TrainOptions {
  /** The run's folder; default one below `runs`, named after data, network, loss and time. */
  readonly run?: string | undefined;
  /** Default: tells nobody. */
  readonly log?: TrainingLog;
  /** Aborted, the run saves a checkpoint and ends. */
  readonly signal?: AbortSignal;
  /** Called when an epoch is validated, before its checkpoint is written; true ends the run as the signal does. */
  readonly onEpoch?: (epoch: EpochRecord) => boolean | Promise<boolean>;
}

export interface TrainingResult {
  readonly folder: string;
  /** Left out where the run was interrupted. */
  readonly summary?: RunSummary;
}

/**
 * Trains as a configuration says, and judges the result.
 *
 * @example
 * const { folder, summary } = await train({ data: { dataset: 'digits' }, network: { name: 'tresnet-s', inputSize: 64 } });
 * summary?.test?.metrics.mAP
 */
export async function train(input: ConfigurationInput, options: TrainOptions = {}): Promise<TrainingResult> {
  const configuration = absolutePaths(validateConfiguration(input));
  const folder = options.run ?? defaultRunFolder(configuration);
  const data = await openRunData(configuration);
  try {
    mkdirSync(folder, { recursive: true });
    using _lock = lockRun(folder);
    refuseOldRun(folder); // before the network is built
    using session = createSession(configuration, data);
    const paths = createRunFolder(folder);
    saveRunRecord(paths, {
      configuration,
      versions: { anyclass: version(), node: process.version, libtorch: engineInfo().version },
      classes: data.dataset.classes,
      classImportance: data.dataset.classImportance,
      datasetFingerprint: datasetFingerprint(data.dataset),
      started: new Date().toISOString(),
    });
    return await trainToEnd(session, paths, options);
  } finally {
    await data.close();
    removeEmpty(folder);
  }
}

/** A start that failed leaves no folder behind that would be in the way of the next one. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // holds the run
  }
}

/**
 * Goes on with a run from its newest whole checkpoint, as if it had never stopped. A finished run is left as it is.
 *
 * @example
 * await resume('runs/sewer');
 */
export async function resume(
  folder: string,
  options: Omit<TrainOptions, 'run'> = {},
): Promise<TrainingResult> {
  const { paths, record } = openRun(folder);
  using _lock = lockRun(folder);
  makeInnerFolders(paths);
  const { log = quietLog } = options;
  const summary = await writtenResult(paths, log);
  if (summary) log.note(`${folder}: the run is finished, and its test split is judged once only`);
  if (summary && existsSync(paths.report)) return { folder, summary };
  const data = await openRunData(record.configuration);
  try {
    if (summary) {
      await writeRunReport(folder, data.dataset);
      return { folder, summary };
    }
    if (datasetFingerprint(data.dataset) !== record.datasetFingerprint) {
      throw new UserError(
        `${folder}: the data changed since the run began; a run goes on with the same data only`,
      );
    }
    for (const name of removePartial(paths.checkpoints))
      log.note(`removed ${name}, which was not written to its end`);
    const { checkpoint, path, skipped } = takeNewestCheckpoint(paths.checkpoints);
    for (const reason of skipped) log.note(`skipped ${reason}`);
    using session = createSession(withoutWeights(record.configuration, checkpoint !== undefined), data);
    if (checkpoint) restoreSession(session, checkpoint);
    const { epoch, step } = session.progress;
    log.note(
      path ? `goes on after epoch ${epoch}, step ${step}, from ${path}` : 'no whole checkpoint: begins again',
    );
    keepEpochs(paths.metrics, epoch);
    return await trainToEnd(session, paths, options, path);
  } finally {
    await data.close();
  }
}

/** What a finished run reached; undefined where it is not finished, or its model or scores cannot be read any more. */
async function writtenResult(paths: RunPaths, log: TrainingLog): Promise<RunSummary | undefined> {
  if (!existsSync(paths.summary)) return undefined;
  try {
    const summary = readSummary(paths);
    loadModel(paths.model).network.dispose();
    for (const split of ['validation', ...(summary.test ? ['test'] : [])]) {
      const table = (name: string) => readTable(join(paths.scores, name));
      joinTables(await table(`${split}.csv`), await table(`${split}-labels.csv`));
    }
    return summary;
  } catch (error) {
    log.note(`${reasonOf(error)}: the run is judged again`);
    return undefined;
  }
}

/** A checkpoint has all weights: the file that the run began with may be gone. */
function withoutWeights(configuration: Configuration, hasCheckpoint: boolean): Configuration {
  const { weights, ...network } = configuration.network;
  return hasCheckpoint && weights !== undefined ? { ...configuration, network } : configuration;
}

async function trainToEnd(
  session: Session,
  paths: RunPaths,
  options: TrainOptions,
  resumedFrom?: string,
): Promise<TrainingResult> {
  const { log = quietLog, signal } = options;
  const { configuration, progress, loader } = session;
  const { epochs, patience, checkpoints } = configuration;
  let lastCheckpoint = resumedFrom;
  const refuseBroken = () => {
    const broken = brokenWeights(session.network);
    if (broken.length === 0) return;
    throw lateDivergence('weights', listed(broken), {
      epoch: progress.epoch + 1,
      step: progress.step,
      lastCheckpoint,
    });
  };
  const save = () => {
    refuseBroken();
    lastCheckpoint = writing(paths, lastCheckpoint, () => saveCheckpoint(session, paths));
  };
  const interrupted = (): TrainingResult => {
    log.note(`interrupted; saved ${lastCheckpoint}. Go on with: anyclass train --resume ${paths.folder}`);
    return { folder: paths.folder };
  };
  for (const remark of session.remarks) log.note(remark);
  log.note(
    `${configuration.network.name} on ${session.settings.device} in ${session.settings.precision}; run ${paths.folder}`,
  );

  while (progress.epoch < epochs && progress.epochsSinceBest < (patience ?? Number.POSITIVE_INFINITY)) {
    await trainEpoch(session, {
      log,
      signal,
      onPause: save,
      pauseEvery: checkpoints.everyMinutes * 60_000,
      lastCheckpoint: () => lastCheckpoint,
    });
    refuseBroken();
    const validation = signal?.aborted
      ? undefined
      : await unlessAborted(signal, validate(session, { log, signal, lastCheckpoint }));
    if (!validation) {
      save();
      return interrupted();
    }

    const { lossSum, updates, images, seconds, waitSeconds } = progress;
    const epoch = progress.epoch + 1;
    const trainingLoss = lossSum / updates;
    const record: EpochRecord = {
      epoch,
      rate: session.optimizer.groups.at(-1)!.lr,
      trainingLoss,
      validationLoss: validation.loss,
      validationBce: validation.bce,
      validation: validation.metrics,
      seconds,
      imagesPerSecond: images / seconds,
      dataWaitShare: waitSeconds / seconds,
      quarantined: loader.quarantined().length,
    };
    writing(paths, lastCheckpoint, () => {
      keepBest(session, paths, validation);
      appendEpoch(paths.metrics, record);
    });
    log.note(epochLine(epoch, trainingLoss, validation));
    const isStopped = await options.onEpoch?.(record);
    session.scheduler.step();
    Object.assign(progress, { epoch, ...firstStep });
    save();
    if (signal?.aborted || isStopped) return interrupted();
  }
  const summary = await unlessAborted(signal, finishRun(session, paths, { log, signal }));
  return summary ? { folder: paths.folder, summary } : interrupted();
}

/** What a promise gives, or undefined where it failed because of the signal. */
async function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  }
}

/** Saves the weights where the epoch was the best by some metric. */
function keepBest(session: Session, paths: RunPaths, validation: Validation): void {
  const { configuration, progress } = session;
  const metrics: BestMetric[] = [...new Set([configuration.bestBy, ...configuration.checkpoints.best])];
  const improved = improvedMetrics(validation, progress.best, metrics);
  progress.epochsSinceBest = improved.includes(configuration.bestBy) ? 0 : progress.epochsSinceBest + 1;
  if (improved.length === 0) return;
  const epoch = progress.epoch + 1;
  const file = saveWeights(session, paths, epoch);
  for (const metric of improved)
    progress.best[metric] = { epoch, value: metricValue(validation, metric)!, file };
}

function saveCheckpoint(session: Session, paths: RunPaths): string {
  const path = writeCheckpoint(paths.checkpoints, checkpointOf(session));
  pruneCheckpoints(paths.checkpoints, session.configuration.checkpoints.keep);
  return path;
}

/** Where a file cannot be written: what is whole still, and how to go on. */
function writing<T>(paths: RunPaths, last: string | undefined, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const reason = messageOf(error);
    const whole =
      last === undefined ? 'no checkpoint was written before' : `the last checkpoint is whole: ${last}`;
    throw new UserError(
      `${paths.folder} cannot be written to (${reason}); ${whole}. Then go on with: anyclass train --resume ${paths.folder}`,
    );
  }
}

function epochLine(epoch: number, loss: number, { metrics, bce }: Validation): string {
  const percent = (value: number | null) => (value === null ? '–' : (100 * value).toFixed(2));
  const { macroF1, macroF2, mAP, f1Neg } = metrics;
  return `epoch ${epoch}: loss ${loss.toFixed(4)}; validation F1 ${percent(macroF1)}, F2 ${percent(macroF2)}, mAP ${percent(mAP)}, F1-Neg ${percent(f1Neg)}, BCE ${bce.toFixed(4)}`;
}
