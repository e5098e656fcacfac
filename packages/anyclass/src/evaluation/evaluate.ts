// Evaluates a model on a dataset.

import {
  type Decision,
  type Metrics,
  measure,
  type Scored,
  type SharedRows,
  sharedRows,
} from '@anyclass/core';
import { openOptions } from '../configuration/openOptions.js';
import { openInputs } from '../data/batches/openInputs.js';
import { type Dataset, instanceWord, type SplitName, splitNames } from '../data/dataset/dataset.js';
import type { PreparationChanges } from '../data/dataset/preparation.js';
import { lookAlikeColumn } from '../data/lookAlikes/lookAlikeGroups.js';
import { rowContents } from '../data/lookAlikes/rowContents.js';
import type { OpenOptions } from '../data/openDataset.js';
import { failingTogether } from '../distribution/failure.js';
import { joinRanks, type Ranks } from '../distribution/ranks.js';
import { UserError } from '../errors/userError.js';
import type { Judgment } from '../events/judgment.js';
import type { RunEventListener } from '../events/runEvent.js';
import type { Quarantined } from '../events/runSummary.js';
import type { DecisionChange } from '../inference/changedDecision.js';
import type { ComputeWishes } from '../inference/computeDevice.js';
import { refitDecision } from '../inference/modelDecision.js';
import { openModelScorer } from '../inference/modelScorer.js';
import { openForModel } from '../inference/openForModel.js';
import { scoreRows } from '../inference/scoreRows.js';
import { probabilities, type Scorer } from '../inference/scorer.js';
import { calibratedScores } from '../runs/calibratedScores.js';
import { namesHash } from '../runs/decisionOrigin.js';
import { hashedAmong, readKnownRows, unknownRowsText } from '../runs/knownRows.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { isRunFolder, openRun } from '../runs/runFolder.js';
import { fittingScores, fittingSplit, runScores } from '../runs/runScores.js';
import { type GivenCosts, type Priced, pricedDecision } from './costs.js';
import { type JudgeOptions, judge } from './judge.js';
import { isOwnByName, isOwnData, readingFor } from './runSettings.js';

/** Images per batch. */
const defaultBatch = 64;

export interface EvaluateOptions
  extends Partial<Pick<ComputeWishes, 'device' | 'precision'>>,
    Pick<JudgeOptions, 'replicates' | 'confidence' | 'prevalence'> {
  /**
   * `all`: every labeled row. Default: of the model's own data, and of data that comes with splits, the test split if it has
   * labels, otherwise validation, otherwise train; of other data, all.
   */
  readonly split?: SplitName | 'all' | undefined;
  readonly batchSize?: number;
  /** How the dataset is read; by default as the model's run read its own. Classes are always the model's. */
  readonly open?: OpenOptions;
  /** Fits another decision on the validation scores of the model's run, instead of using the model's own. */
  readonly decision?: DecisionChange | undefined;
  /** What mistakes cost: the budget is the one that minimizes it. For a run, whose scores are saved. */
  readonly costs?: Omit<GivenCosts, 'prevalence'> | undefined;
  /** Overrides how images were preprocessed in training. */
  readonly preparation?: PreparationChanges;
  /** Whether an unreadable image is an error. Default false: it is left out. */
  readonly strict?: boolean;
  /** Whether to evaluate the remaining images if some are missing. Default false: that is an error. */
  readonly allowPartial?: boolean;
  /** Folder of preprocessed images. */
  readonly cache?: string | undefined;
  readonly onEvent?: RunEventListener;
}

export interface Evaluation {
  readonly judgment: Judgment;
  readonly scored: Scored;
  /** File name of each row of `scored`. */
  readonly names: readonly string[];
  /** Rows that the model's run trained on, or fitted its decision on; undefined for a model without its run. */
  readonly shared: SharedRows | undefined;
  readonly quarantined: readonly Quarantined[];
}

/**
 * Evaluates a model (its file, an exported one, or its run folder) on a split of its own data, or on all rows of other data, at 0.5
 * and at the model's own decision, unless that was fitted on the same rows. Says which of the decision's promises do not hold there.
 *
 * @example
 * const { judgment } = await evaluate('runs/digits', 'digits', { split: 'test' });
 * judgment.metrics.mAP
 */
export async function evaluate(
  model: string,
  spec: string,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  const ranks = await joinRanks();
  return failingTogether(ranks, () => evaluateShare(ranks, model, spec, options));
}

/** Each rank scores a share of the images, and the shares are combined. */
async function evaluateShare(
  ranks: Ranks | undefined,
  model: string,
  spec: string,
  options: EvaluateOptions,
): Promise<Evaluation> {
  const { device = 'auto', precision = 'auto', batchSize = defaultBatch, preparation, onEvent } = options;
  using opened = await openModelScorer(model, { device, precision, batchSize, preparation });
  const { description, scorer, remarks = [] } = opened;
  for (const text of remarks) onEvent?.({ type: 'note', text });
  const onNote = (text: string) => onEvent?.({ type: 'note', text });
  const priced = options.costs && (await pricedFor(model, options));
  const fitted = await usedDecision(model, description, priced?.decision ?? options.decision, onNote);
  const open = options.open ?? openOptions(readingFor(model, spec) ?? {});
  const dataset = await openForModel(spec, open, description);
  try {
    const isOwn = isOwnData(model, spec, description);
    const hasSplits = isOwn || dataset.hasOwnSplits === true || open.draw !== undefined;
    const chosen = options.split ?? (hasSplits ? labeledSplit(dataset) : 'all');
    const { rows, name: split } = judgedRows(dataset, chosen, fitted?.decision);
    const isByName = isOwnByName(model, spec, description);
    if (chosen === 'all' && isOwn)
      onNote(
        isByName
          ? `${dataset.name} has the name of the model's own data; if it is that, most of these rows are known to it`
          : `${dataset.name} is the model's own data, so most of these rows are known to it`,
      );
    else if (isByName && options.split === undefined)
      onNote(
        `${dataset.name} has the name of the model's own data, so only its ${chosen} split is evaluated; if it is other data, choose the split all`,
      );
    const {
      uncalibrated,
      names,
      quarantined,
      rows: scoredRows,
    } = await scoredSplit(
      dataset,
      { rows, split },
      { ...options, batchSize: opened.batchSize, scorer, ranks, onNote },
    );
    const { calibration } = description;
    const scored = calibratedScores(uncalibrated, calibration);
    const isRefittedHere =
      options.decision === undefined && description.decisionOrigin?.rowNames === namesHash(names);
    if (isRefittedHere)
      onNote('The decision was refitted on these rows, so it is not judged here; evaluate it on others');
    const isElsewhere = fitted?.decision.fittedOn !== split && !isRefittedHere;
    const known = ranks?.isFirst === false ? undefined : await readKnownRows(model);
    // Sets of look-alikes are named after an image: what they share is found by the contents of their images.
    const hasOwnGroups = dataset.groups?.column !== lookAlikeColumn;
    const judged = { names, groups: hasOwnGroups ? uncalibrated.groups : undefined };
    // An exported file knows its data by name alone, which other data may share; of files, all contents are compared.
    const fitting = known && isOwn ? await fittingScores(model) : undefined;
    const asked = known && fitting ? hashedAmong(known, fitting.names) : known;
    const shared = asked && sharedRows(asked, { ...judged, hashes: await rowContents(dataset, scoredRows) });
    const isUnsure = shared === undefined && ranks?.isFirst !== false;
    const used = isUnsure && fitted ? { ...fitted, decision: unsure(model, fitted.decision) } : fitted;
    return {
      judgment: judge(scored, {
        ...(isElsewhere && used),
        shared: isElsewhere && fitted ? shared : undefined,
        prevalence: options.prevalence,
        costs: isElsewhere ? priced?.costs : undefined,
        calibration,
        uncalibrated,
        classImportance: dataset.classImportance ?? description.classImportance,
        // Intervals take time, and only the first rank reports them.
        replicates: ranks?.isFirst === false ? 0 : options.replicates,
        confidence: options.confidence,
      }),
      scored,
      names,
      shared,
      quarantined,
    };
  } finally {
    await dataset.images.close();
  }
}

/** A decision whose promise may rest on rows that its model knows says so. */
function unsure(file: string, decision: Decision): Decision {
  const { report } = decision;
  const isPromised = report.guarantee.holds || report.triage?.guarantee.holds === true;
  if (!isPromised) return decision;
  return { ...decision, report: { ...report, remarks: [...report.remarks, unknownRowsText(file, report)] } };
}

/** Scores rows of a dataset, with their names and groups. */
async function scoredSplit(
  dataset: Dataset,
  { rows, split }: { readonly rows: Int32Array; readonly split: string },
  options: EvaluateOptions & {
    readonly batchSize: number;
    readonly scorer: Scorer;
    readonly ranks: Ranks | undefined;
    readonly onNote: (text: string) => void;
  },
) {
  const { scorer, batchSize, ranks, cache, onNote, onEvent } = options;
  const { strict = false, allowPartial = false } = options;
  const unit = `${instanceWord(dataset)}s` as const;
  const { inputs } = await openInputs(dataset, scorer.format, cache, { onNote });
  const result = await scoreRows(scorer, dataset, inputs, {
    rows,
    batchSize,
    strict,
    ranks,
    allowPartial,
    onProgress: (done) => onEvent?.({ type: 'progress', task: 'scoring', done, total: rows.length, unit }),
  }).finally(() => inputs.close());
  const { groups } = dataset;
  const uncalibrated = {
    scores: probabilities(result.logits),
    targets: result.targets,
    classNames: dataset.classes,
    split,
    groups: groups && Array.from(result.rows, (row) => groups.names[groups.codes[row]!]!),
  };
  const names = Array.from(result.rows, (row) => dataset.names.at(row));
  return { uncalibrated, names, rows: result.rows, quarantined: result.quarantined };
}

/** The model's own decision, or a refitted one, with its metrics on the fitting data if known. */
async function usedDecision(
  model: string,
  { decision }: ModelDescription,
  chosen: DecisionChange | undefined,
  note: (text: string) => void,
): Promise<{ readonly decision: Decision; readonly validation: Metrics | undefined } | undefined> {
  if (chosen) return refitDecision(model, decision, chosen, note);
  if (!decision) return undefined;
  return { decision, validation: isRunFolder(model) ? await metricsOfFit(model, decision) : undefined };
}

/** The decision whose budget minimizes the costs on the rows that decisions are fitted on. */
async function pricedFor(
  model: string,
  { costs, decision = {}, prevalence }: EvaluateOptions,
): Promise<Priced | undefined> {
  if (!costs) return undefined;
  if (!isRunFolder(model))
    throw new UserError(
      `${model} is a model file without scores to find a budget on; name the folder of its run`,
    );
  const fitting = await runScores(model, fittingSplit(openRun(model).paths));
  return pricedDecision(fitting, decision, { ...costs, prevalence });
}

/** Undefined if the scores of the fit are gone or were changed. */
async function metricsOfFit(run: string, decision: Decision): Promise<Metrics | undefined> {
  try {
    return measure(await runScores(run, fittingSplit(openRun(run).paths)), {
      threshold: decision,
      allowSameSplit: true,
    });
  } catch (error) {
    if (error instanceof UserError && error.code !== 'scores-damaged') return undefined;
    throw error;
  }
}

/** The rows of a split, or all that have labels; under a name that no decision was fitted on. */
function judgedRows(
  dataset: Dataset,
  split: SplitName | 'all',
  decision: Decision | undefined,
): { readonly rows: Int32Array; readonly name: string } {
  const { name, splits, labels } = dataset;
  if (split !== 'all') {
    if (!hasLabels(dataset, split)) throw new UserError(`${name}: the split ${split} has no labels`);
    return { rows: splits[split], name: split };
  }
  const rows = Int32Array.from({ length: labels.rows }, (_, row) => row).filter((row) =>
    labels.isLabeled(row),
  );
  if (rows.length === 0) throw new UserError(`${name}: no row has labels`);
  const isTaken = splitNames.some((each) => each === name) || decision?.fittedOn === name;
  return { rows, name: isTaken ? `all of ${name}` : name };
}

function labeledSplit(dataset: Dataset): SplitName {
  return (
    (['test', 'validation', 'train'] as const).find((split) => hasLabels(dataset, split)) ?? splitNames[0]
  );
}

function hasLabels({ splits, labels }: Dataset, split: SplitName): boolean {
  return splits[split].some((row) => labels.isLabeled(row));
}
