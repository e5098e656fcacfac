// Finishes a run: selects the best weights, fits calibration and decision on validation, and evaluates the
// test split once.

import { join } from 'node:path';
import type { Scored } from '@anyclass/core';
import { fitOptions } from '../configuration/decisionFields.js';
import type { Dataset, SplitName } from '../data/dataset/dataset.js';
import { copyFromFirstNow, gatherLists } from '../distribution/exchange.js';
import { counted } from '../errors/counted.js';
import { reasonOf } from '../errors/reasonOf.js';
import { judge } from '../evaluation/judge.js';
import type { Quarantined, RunSummary } from '../events/runSummary.js';
import { writeWhole } from '../files/wholeFile.js';
import { moveNetwork } from '../inference/computeDevice.js';
import { calibratedScores, fitOnValidation, helpfulCalibration } from '../inference/decide.js';
import { createScorer } from '../inference/scorer.js';
import { readEpochs } from '../runs/metricsLog.js';
import { loadModel, type Model, saveModel } from '../runs/modelFile.js';
import type { RunPaths } from '../runs/runFolder.js';
import { writeScoreChecksums } from '../runs/scoreChecksums.js';
import { writeTable } from '../runs/scoreFiles.js';
import type { ActiveRun } from './activeRun.js';
import { saveEpochWeights } from './bestWeights.js';
import { type BestEpoch, metricValue } from './progress.js';
import { judgedNetwork, type Session } from './session.js';
import { scoreSplit } from './validate.js';

/** Evaluates the best weights of a run and writes the model, scores and summary. */
export async function finishRun(session: Session, run: ActiveRun): Promise<RunSummary> {
  const { paths, note } = run;
  const { configuration, data, settings, progress, evaluationBatch } = session;
  const { bestBy, evaluation } = configuration;
  const { best, model, isLastInstead } = bestModel(session, run);
  using network = model.network;
  moveNetwork(network, settings.device);
  if (run.ranks) copyFromFirstNow(run.ranks, network.stateDict().values());
  const scorer = createScorer(network, { ...settings, input: data.input, batchSize: evaluationBatch });
  const rawValidation = await scoreSplit(session, 'validation', run, scorer);
  const { classImportance, groups } = data.dataset;
  const calibration = helpfulCalibration(rawValidation.scored, evaluation.calibration);
  const validation = {
    ...calibratedScores(rawValidation.scored, calibration),
    groups: groups && Array.from(rawValidation.rows, (row) => groups.names[groups.codes[row]!]!),
  };
  const fitted = rawValidation.targets.some((target) => target >= 0.5)
    ? fitOnValidation(validation, fitOptions(evaluation.decision), { classImportance, note })
    : undefined;
  if (!fitted)
    note('No positives in validation: no decision is fitted, and the model uses a threshold of 0.5');
  const description = {
    ...model.description,
    ...(fitted && { decision: fitted.decision }),
    ...(calibration && { calibration }),
  };
  saveModel(paths.model, { network, description });
  const sums = writeScores(paths, 'validation', data.dataset, rawValidation.rows, validation);

  const shared = { classImportance, replicates: evaluation.replicates, confidence: evaluation.confidence };
  const isTested = evaluation.test && data.dataset.splits.test.length > 0;
  const rawTest = isTested ? await scoreSplit(session, 'test', run, scorer) : undefined;
  const test = rawTest && calibratedScores(rawTest.scored, calibration);
  if (rawTest && test) Object.assign(sums, writeScores(paths, 'test', data.dataset, rawTest.rows, test));
  writeScoreChecksums(paths.scores, sums);
  const isLabeled = rawTest?.targets.some((target) => !Number.isNaN(target)) ?? false;
  if (!evaluation.test) note('the test split is not evaluated (evaluation.test is false)');
  else if (!test) note('there is no test split to evaluate');
  else if (!isLabeled) note('the test split has no labels and is not evaluated');
  const quarantined = [
    await quarantinedInTraining(session, run),
    rawValidation.quarantined,
    rawTest?.quarantined ?? [],
  ].flat();
  if (quarantined.length > 0)
    note(
      `${counted(quarantined.length, 'image')} could not be read: summary.json and the report have the names`,
    );
  const summary: RunSummary = {
    dataset: data.dataset.name,
    network: configuration.network.name,
    loss: configuration.loss.name,
    classes: data.dataset.classes,
    epochs: progress.epoch,
    bestEpoch: best.epoch,
    bestBy,
    bestValue: best.value,
    ...(isLastInstead && { isLastInstead }),
    validation: judge(validation, {
      ...shared,
      calibration,
      uncalibrated: rawValidation.scored,
      replicates: 0,
    }),
    ...(test &&
      isLabeled && {
        test: judge(test, {
          ...shared,
          ...fitted,
          calibration,
          uncalibrated: rawTest?.scored,
        }),
      }),
    quarantined,
  };
  writeWhole(paths.summary, `${JSON.stringify(summary, null, 2)}\n`);
  return summary;
}

/** What ranks other than the first do at the end: they score their shares with the first rank's weights. */
export async function helpFinishing(session: Session, run: ActiveRun): Promise<void> {
  const { configuration, data } = session;
  if (run.ranks) copyFromFirstNow(run.ranks, judgedNetwork(session).stateDict().values());
  await scoreSplit(session, 'validation', run);
  if (configuration.evaluation.test && data.dataset.splits.test.length > 0)
    await scoreSplit(session, 'test', run);
  await quarantinedInTraining(session, run);
}

/** Training images that could not be read, on any rank. */
async function quarantinedInTraining({ loader }: Session, { ranks }: ActiveRun): Promise<Quarantined[]> {
  const own = loader.quarantined();
  return ranks ? gatherLists(ranks, own) : own;
}

interface JudgedModel {
  readonly best: Omit<BestEpoch, 'value'> & { readonly value: number | null };
  readonly model: Model;
  readonly isLastInstead: boolean;
}

/** The model of the best epoch, or of the last one if no best epoch is known or its weights are lost. */
function bestModel(session: Session, { paths, note }: ActiveRun): JudgedModel {
  const { progress, configuration } = session;
  const { bestBy } = configuration;
  const best = progress.best[bestBy];
  try {
    if (best) return { best, model: loadModel(join(paths.checkpoints, best.file)), isLastInstead: false };
    note(`${bestBy} was not defined on the validation split in any epoch; evaluating the last epoch`);
  } catch (error) {
    note(`${reasonOf(error)}; evaluating the last epoch instead`);
  }
  const { epoch } = progress;
  const file = saveEpochWeights(session, paths, epoch);
  const record = readEpochs(paths.metrics).at(-1);
  const value =
    record &&
    metricValue(
      { metrics: record.validation, loss: record.validationLoss, bce: record.validationBce },
      bestBy,
    );
  return {
    best: { epoch, value: value ?? null, file },
    model: loadModel(join(paths.checkpoints, file)),
    isLastInstead: true,
  };
}

/** Writes probabilities and labels; returns the checksums of the files. */
function writeScores(
  paths: RunPaths,
  split: SplitName,
  dataset: Dataset,
  rows: Int32Array,
  { scores, targets }: Scored,
): Record<string, string> {
  const table = { names: Array.from(rows, (row) => dataset.names.at(row)), classNames: dataset.classes };
  const write = (name: string, values: ArrayLike<number>) => ({
    [name]: writeTable(join(paths.scores, name), { ...table, values }),
  });
  return { ...write(`${split}.csv`, scores), ...write(`${split}-labels.csv`, targets) };
}
