// Finishes a run: selects the best weights, fits calibration on validation and the decision there or on the rows held
// back for it, and evaluates the test split once.

import { join } from 'node:path';
import { type Scored, sharedRows } from '@anyclass/core';
import { runCandidates } from '../configuration/candidates.js';
import { fitOptions } from '../configuration/decisionFields.js';
import type { SplitName } from '../data/dataset/dataset.js';
import { copyFromFirstNow, fromFirst, gatherLists } from '../distribution/exchange.js';
import { counted } from '../errors/counted.js';
import { reasonOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import { judge } from '../evaluation/judge.js';
import type { Quarantined, RunSummary } from '../events/runSummary.js';
import { writeWhole } from '../files/wholeFile.js';
import { moveNetwork } from '../inference/computeDevice.js';
import { fitOnValidation, helpfulCalibration } from '../inference/decide.js';
import { createScorer } from '../inference/scorer.js';
import { calibratedScores } from '../runs/calibratedScores.js';
import { readEpochs } from '../runs/metricsLog.js';
import { loadModel, type Model, saveModel } from '../runs/modelFile.js';
import type { RunPaths } from '../runs/runFolder.js';
import { saveCalibration } from '../runs/savedCalibration.js';
import { writeScoreChecksums } from '../runs/scoreChecksums.js';
import { type TableToWrite, writeTable } from '../runs/scoreFiles.js';
import type { ActiveRun } from './activeRun.js';
import { saveEpochWeights } from './bestWeights.js';
import { type MeanLogits, writeMargins } from './margins.js';
import { type BestEpoch, metricValue } from './progress.js';
import { type RunGuard, runGuard } from './runGuard.js';
import { dropCheckpoints } from './savedState.js';
import { judgedNetwork, type Session } from './session.js';
import type { SplitScores } from './splitScores.js';
import { scoreSplit } from './validate.js';

/**
 * Evaluates the weights of a run and writes the model, scores and summary. Every rank calls this: each scores
 * its share, and the first alone writes and returns the summary.
 */
export async function finishRun(session: Session, run: ActiveRun): Promise<RunSummary | undefined> {
  const isFirst = run.ranks?.isFirst !== false;
  const chosen = isFirst ? chosenModel(session, run) : undefined;
  try {
    const scores = await scoreAtEnd(session, run, chosen);
    if (!chosen) return undefined;
    // The first rank alone: nothing of it is exchanged.
    const guard = await runGuard(session, chosen.model.network, run);
    const summary = writeResults(session, run, chosen, { ...scores, guard });
    // If the best weights are lost, only the checkpoints have any.
    if (!chosen.isLastInstead) dropCheckpoints(session, run);
    return summary;
  } finally {
    chosen?.model.network.dispose();
  }
}

interface EndScores {
  readonly validation: SplitScores;
  /** Undefined if no rows are held back for the decision. */
  readonly decision: SplitScores | undefined;
  /** Undefined if the test split is not evaluated. */
  readonly test: SplitScores | undefined;
  readonly quarantinedInTraining: readonly Quarantined[];
  /** Undefined if they are not recorded, or only the best weights of a finished run are evaluated again. */
  readonly margins: MeanLogits | undefined;
  /** Undefined without one; the first rank has it. */
  readonly guard?: RunGuard | undefined;
}

/**
 * Scores validation and test. All that the ranks exchange at the end of a run is here, because ranks that do
 * not take the same steps wait for each other forever.
 */
async function scoreAtEnd(
  session: Session,
  run: ActiveRun,
  chosen: ChosenModel | undefined,
): Promise<EndScores> {
  const { configuration, data, settings, evaluationBatch, validated } = session;
  const { ranks } = run;
  const epoch = await fromFirst(ranks, () => chosen?.best.epoch);
  const network = chosen?.model.network ?? judgedNetwork(session);
  if (chosen) moveNetwork(network, settings.device);
  if (ranks) copyFromFirstNow(ranks, network.stateDict().values());
  const scorer = chosen
    ? createScorer(network, { ...settings, input: data.input, batchSize: evaluationBatch })
    : session.scorer;
  const isTested = configuration.evaluation.test && data.dataset.splits.test.length > 0;
  // The last epoch's weights are those that its validation scored.
  const known = validated && validated.epoch === epoch ? validated.scores : undefined;
  return {
    validation: known ?? (await scoreSplit(session, 'validation', run, scorer)),
    decision:
      data.dataset.splits.decision.length > 0
        ? await scoreSplit(session, 'decision', run, scorer)
        : undefined,
    test: isTested ? await scoreSplit(session, 'test', run, scorer) : undefined,
    quarantinedInTraining: ranks
      ? await gatherLists(ranks, session.loader.quarantined())
      : session.loader.quarantined(),
    margins: session.hasLastWeights ? session.margins?.means() : undefined,
  };
}

/** Fits calibration and decision, evaluates, and writes everything. */
function writeResults(
  { configuration, data, progress }: Session,
  { paths, note, options: { intervals = true } }: ActiveRun,
  { best, model, isLastInstead }: ChosenModel,
  scores: EndScores,
): RunSummary {
  const { bestBy, evaluation } = configuration;
  const { validation: rawValidation, decision: rawDecision, test: rawTest } = scores;
  const { classImportance, groups } = data.dataset;
  const calibration = helpfulCalibration(rawValidation.scored, evaluation.calibration);
  const identified = ({ scored, rows }: SplitScores): IdentifiedScores => ({
    ...calibratedScores(scored, calibration),
    names: Array.from(rows, (row) => data.dataset.names.at(row)),
    groups: groups && Array.from(rows, (row) => groups.names[groups.codes[row]!]!),
  });
  const validation = identified(rawValidation);
  // Rows that were held back chose nothing.
  const held = rawDecision && identified(rawDecision);
  const fitting = held ?? validation;
  const candidates = held ? 1 : runCandidates(configuration, progress.epoch);
  const fit = { ...fitOptions(evaluation.decision), candidates };
  const fitted = Array.from(fitting.targets).some((target) => target >= 0.5)
    ? fitOnValidation(fitting, fit, { classImportance, note, orPerClass: true })
    : undefined;
  if (!fitted)
    note('No positives in validation: no decision is fitted, and the model uses a threshold of 0.5');
  const description = {
    ...model.description,
    ...(fitted && { decision: fitted.decision }),
    ...(calibration && { calibration }),
    ...(scores.guard && { guard: scores.guard.guard }),
  };
  saveModel(paths.model, { network: model.network, description });
  const test = rawTest && identified(rawTest);
  writeScoreChecksums(paths.scores, {
    ...saveCalibration(paths.scores, calibration),
    ...writeScores(paths, 'validation', validation, rawValidation.scored),
    ...(held && writeScores(paths, 'decision', held, rawDecision.scored)),
    ...(test && writeScores(paths, 'test', test, rawTest.scored)),
  });
  // Mixed images have none.
  if (scores.margins && scores.margins.rows.length > 0) writeMargins(paths, data.dataset, scores.margins);
  const isLabeled = rawTest?.targets.some((target) => !Number.isNaN(target)) ?? false;
  if (!evaluation.test) note('the test split is not evaluated (evaluation.test is false)');
  else if (!test) note('there is no test split to evaluate');
  else if (!isLabeled) note('the test split has no labels and is not evaluated');
  const quarantined = [
    scores.quarantinedInTraining,
    rawValidation.quarantined,
    rawDecision?.quarantined ?? [],
    rawTest?.quarantined ?? [],
  ].flat();
  if (quarantined.length > 0)
    note(
      `${counted(quarantined.length, 'image')} could not be read: summary.json and the report have the names`,
    );
  const replicates = intervals ? evaluation.replicates : 0;
  const shared = { classImportance, replicates, confidence: evaluation.confidence };
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
    ...(configuration.finalWeights === 'last' && { isLastKept: true }),
    validation: judge(validation, {
      ...shared,
      ...(held && fitted),
      calibration,
      uncalibrated: rawValidation.scored,
      replicates: 0,
    }),
    ...(test &&
      isLabeled && {
        test: judge(test, {
          ...shared,
          ...fitted,
          shared: sharedRows(fitting, test),
          calibration,
          uncalibrated: rawTest?.scored,
        }),
      }),
    ...(scores.guard && { guard: scores.guard.rates }),
    quarantined,
  };
  writeWhole(paths.summary, `${JSON.stringify(summary, null, 2)}\n`);
  return summary;
}

interface ChosenModel {
  readonly best: Omit<BestEpoch, 'value'> & { readonly value: number | null };
  readonly model: Model;
  readonly isLastInstead: boolean;
}

/**
 * The model of the last epoch if that is to be kept; otherwise of the best one, or of the last one if no best
 * epoch is known or its weights are lost.
 */
function chosenModel(session: Session, { paths, note }: ActiveRun): ChosenModel {
  const { progress, configuration, hasLastWeights } = session;
  const { bestBy } = configuration;
  const isLastKept = configuration.finalWeights === 'last';
  const best = progress.best[bestBy];
  try {
    if (isLastKept) return lastModel(session, paths, false);
    if (best) return { best, model: loadModel(join(paths.checkpoints, best.file)), isLastInstead: false };
    note(`${bestBy} was not defined on the validation split in any epoch; evaluating the last epoch`);
  } catch (error) {
    if (!hasLastWeights)
      throw new UserError(
        `${reasonOf(error)}. The run had finished and kept no other weights; train again in another folder`,
        { cause: error },
      );
    note(`${reasonOf(error)}; evaluating the last epoch instead`);
  }
  return lastModel(session, paths, true);
}

function lastModel(session: Session, paths: RunPaths, isLastInstead: boolean): ChosenModel {
  const { progress, configuration } = session;
  const { epoch } = progress;
  const file = saveEpochWeights(session, paths, epoch);
  const record = readEpochs(paths.metrics).at(-1);
  const value =
    record &&
    metricValue(
      { metrics: record.validation, loss: record.validationLoss, bce: record.validationBce },
      configuration.bestBy,
    );
  return {
    best: { epoch, value: value ?? null, file },
    model: loadModel(join(paths.checkpoints, file)),
    isLastInstead,
  };
}

/** Scores with the names and groups of their rows. */
interface IdentifiedScores extends Scored {
  readonly names: readonly string[];
  readonly groups?: readonly string[] | undefined;
}

/** Writes the network's own probabilities, and labels with groups; returns the checksums of the files. */
function writeScores(
  paths: RunPaths,
  split: SplitName,
  { names, groups, classNames, targets }: IdentifiedScores,
  { scores }: Scored,
): Record<string, string> {
  const write = (name: string, table: Pick<TableToWrite, 'values' | 'groups'>) => ({
    [name]: writeTable(join(paths.scores, name), { names, classNames, ...table }),
  });
  return {
    ...write(`${split}.csv`, { values: scores }),
    ...write(`${split}-labels.csv`, { values: targets, groups }),
  };
}
