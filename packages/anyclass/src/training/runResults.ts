// What a run found at its end: fits calibration and decision, evaluates, and writes model, scores and summary.

import { join } from 'node:path';
import { type RowIdentities, type Scored, type SharedRows, sharedRows } from '@anyclass/core';
import { runCandidates } from '../configuration/candidates.js';
import { fitOptions } from '../configuration/decisionFields.js';
import type { SplitName } from '../data/dataset/dataset.js';
import { counted } from '../errors/counted.js';
import { judge } from '../evaluation/judge.js';
import type { Quarantined, RunSummary } from '../events/runSummary.js';
import { writeWhole } from '../files/wholeFile.js';
import { fitOnValidation, helpfulCalibration } from '../inference/decide.js';
import { calibratedScores } from '../runs/calibratedScores.js';
import { hashedAmong, type KnownRows, writeKnownRows } from '../runs/knownRows.js';
import { type Model, saveModel } from '../runs/modelFile.js';
import type { RunPaths } from '../runs/runFolder.js';
import { saveCalibration } from '../runs/savedCalibration.js';
import { writeScoreChecksums } from '../runs/scoreChecksums.js';
import { type TableToWrite, writeTable } from '../runs/scoreFiles.js';
import type { ActiveRun } from './activeRun.js';
import { type MeanLogits, writeMargins } from './margins.js';
import type { BestEpoch } from './progress.js';
import type { RunGuard } from './runGuard.js';
import type { Session } from './session.js';
import type { SplitScores } from './splitScores.js';

/** The model that a run ends with, and the epoch that it is of. */
export interface ChosenModel {
  readonly best: Omit<BestEpoch, 'value'> & { readonly value: number | null };
  readonly model: Model;
  readonly isLastInstead: boolean;
}

/** The scores of that model. */
export interface EndScores {
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
  /** The rows that the model knows; the first rank has them. */
  readonly known?: KnownRows | undefined;
  /** Hashes of the contents of the test rows; the first rank has them. */
  readonly testContents?: readonly string[] | undefined;
}

/** Fits calibration and decision, evaluates, and writes everything. */
export function writeResults(
  session: Session,
  run: ActiveRun,
  { best, model, isLastInstead }: ChosenModel,
  scores: EndScores,
): RunSummary {
  const { configuration, data, progress } = session;
  const { paths, note, options } = run;
  const { evaluation } = configuration;
  const found = fittedScores(session, run, scores);
  const { calibration, fitted } = found;
  const description = {
    ...model.description,
    ...(fitted && { decision: fitted.decision }),
    ...(calibration && { calibration }),
    ...(scores.guard && { guard: scores.guard.guard }),
  };
  saveModel(paths.model, { network: model.network, description });
  writeSplits(paths, scores, found);
  // Mixed images have none.
  if (scores.margins && scores.margins.rows.length > 0) writeMargins(paths, data.dataset, scores.margins);
  const untested = whyUntested(evaluation.test, scores.test);
  if (untested !== undefined) note(untested);
  const quarantined = [
    scores.quarantinedInTraining,
    ...[scores.validation, scores.decision, scores.test].map((split) => split?.quarantined ?? []),
  ].flat();
  if (quarantined.length > 0)
    note(
      `${counted(quarantined.length, 'image')} could not be read: summary.json and the report have the names`,
    );
  const { validation, held, test } = found;
  const shared = {
    classImportance: data.dataset.classImportance,
    replicates: options.intervals === false ? 0 : evaluation.replicates,
    confidence: evaluation.confidence,
    calibration,
  };
  const summary: RunSummary = {
    dataset: data.dataset.name,
    network: configuration.network.name,
    loss: configuration.loss.name,
    classes: data.dataset.classes,
    epochs: progress.epoch,
    bestEpoch: best.epoch,
    bestBy: configuration.bestBy,
    bestValue: best.value,
    ...(isLastInstead && { isLastInstead }),
    ...(configuration.finalWeights === 'last' && { isLastKept: true }),
    validation: judge(validation, {
      ...shared,
      ...(held && fitted),
      uncalibrated: scores.validation.scored,
      replicates: 0,
    }),
    ...(test &&
      untested === undefined && {
        test: judge(test, {
          ...shared,
          ...fitted,
          shared: sharedWith(held ?? validation, scores.known, { ...test, hashes: scores.testContents }),
          uncalibrated: scores.test?.scored,
        }),
      }),
    ...(scores.guard && { guard: scores.guard.rates }),
    quarantined,
  };
  writeWhole(paths.summary, `${JSON.stringify(summary, null, 2)}\n`);
  return summary;
}

/** Fits calibration on validation, and the decision there or on the rows held back for it. */
function fittedScores({ configuration, data, progress }: Session, { note }: ActiveRun, scores: EndScores) {
  const { calibration: method, decision } = configuration.evaluation;
  const { classImportance, groups, names } = data.dataset;
  const calibration = helpfulCalibration(scores.validation.scored, method);
  const identified = ({ scored, rows }: SplitScores): IdentifiedScores => ({
    ...calibratedScores(scored, calibration),
    names: Array.from(rows, (row) => names.at(row)),
    groups: groups && Array.from(rows, (row) => groups.names[groups.codes[row]!]!),
  });
  const validation = identified(scores.validation);
  const held = scores.decision && identified(scores.decision);
  const fitting = held ?? validation;
  // Rows that were held back chose nothing.
  const candidates = held ? 1 : runCandidates(configuration, progress.epoch);
  const fitted = Array.from(fitting.targets).some((target) => target >= 0.5)
    ? fitOnValidation(
        fitting,
        { ...fitOptions(decision), candidates },
        { classImportance, note, orPerClass: true },
      )
    : undefined;
  if (!fitted)
    note('No positives in validation: no decision is fitted, and the model uses a threshold of 0.5');
  return { calibration, validation, held, fitted, test: scores.test && identified(scores.test) };
}

/** Counts the test rows that the model knows, by name or group, or whose contents those of the fit have. */
function sharedWith(
  fitting: IdentifiedScores,
  known: KnownRows | undefined,
  test: RowIdentities,
): SharedRows {
  return sharedRows(known ? hashedAmong(known, fitting.names) : fitting, test);
}

/** Why the test split is not evaluated; undefined if it is. */
function whyUntested(isWanted: boolean, test: SplitScores | undefined): string | undefined {
  if (!isWanted) return 'the test split is not evaluated (evaluation.test is false)';
  if (!test) return 'there is no test split to evaluate';
  const isLabeled = test.targets.some((target) => !Number.isNaN(target));
  return isLabeled ? undefined : 'the test split has no labels and is not evaluated';
}

/** Scores with the names and groups of their rows. */
interface IdentifiedScores extends Scored {
  readonly names: readonly string[];
  readonly groups?: readonly string[] | undefined;
}

/** Writes the scores of all splits, the calibration that is applied to them, and the checksums of these files. */
function writeSplits(
  paths: RunPaths,
  scores: EndScores,
  { calibration, validation, held, test }: ReturnType<typeof fittedScores>,
): void {
  writeScoreChecksums(paths.scores, {
    ...(scores.known && writeKnownRows(paths, scores.known)),
    ...saveCalibration(paths.scores, calibration),
    ...writeScores(paths, 'validation', validation, scores.validation.scored),
    ...(held && scores.decision && writeScores(paths, 'decision', held, scores.decision.scored)),
    ...(test && scores.test && writeScores(paths, 'test', test, scores.test.scored)),
  });
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
