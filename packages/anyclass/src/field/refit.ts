// Another site: a model's decision is fitted anew on labeled rows of that site. The network and its calibration stay.

import {
  type Candidates,
  type Decision,
  type DecisionBudget,
  type FitDecisionOptions,
  type NoGuarantee,
  promiseUnit,
  type Scored,
  type SharedRows,
  sharedRows,
} from '@anyclass/core';
import { counted, inflected } from '../errors/counted.js';
import { listed } from '../errors/listed.js';
import { UserError } from '../errors/userError.js';
import { withoutPromise } from '../evaluation/withoutPromise.js';
import { changedDecision } from '../inference/changedDecision.js';
import { fitOnValidation } from '../inference/decide.js';
import { ownDecision, refitDecision } from '../inference/modelDecision.js';
import { isOnnxFile, readModelRecord, writeWithDecision } from '../inference/modelRecord.js';
import { type DecisionOrigin, namesHash, replacedDecision } from '../runs/decisionOrigin.js';
import { readKnownRows, unknownRowsText } from '../runs/knownRows.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { isRunFolder, runPaths } from '../runs/runFolder.js';
import { fittingSplit, runScores } from '../runs/runScores.js';
import { type CrossFittedMetrics, crossFittedMetrics } from './crossFitted.js';
import { fitGate } from './fitGate.js';
import { hasRows, type RefitData, refitRows } from './refitRows.js';
import type { RowsToFit } from './rowsToFit.js';

export interface RefitOptions extends RefitData {
  /** The model file to write: .safetensors for a run or model file, .onnx for an exported one. */
  readonly out: string;
  /** Limits of the new decision; what is not given stays as in the one that it replaces. */
  readonly falseAlarms?: number | undefined;
  /** Null removes this limit. */
  readonly missed?: number | null | undefined;
  readonly per?: 'image' | 'group' | undefined;
  /** Null keeps the limits on these rows only, and promises nothing. */
  readonly confidence?: number | null | undefined;
  /** How many budgets were compared on these rows; `adaptive` if that cannot be counted: then nothing is promised. Default 1. */
  readonly candidates?: Candidates | undefined;
  /** Bootstrap replicates of the intervals, at least 2. Default 1000. */
  readonly replicates?: number | undefined;
}

export interface Refit {
  readonly out: string;
  readonly decision: Decision;
  readonly origin: DecisionOrigin;
  /** Metrics on the rows of the fit, each judged by a decision fitted without it; null with too few rows, without classes, or on the run's own scores. */
  readonly crossFitted: CrossFittedMetrics | null;
  readonly remarks: readonly string[];
}

/**
 * Refits a model's decision on labeled data of another site and writes the model with it to a new file, which says where its
 * decision comes from. With rows that the model's run knows, nothing is promised; a file that does not hold them says so. Too few negatives for the limit are an error that says how
 * many more to label. A run without data is refitted on the scores that its own decision was fitted on, for another budget.
 *
 * @example
 * const { decision, crossFitted } = await refit('runs/pipes', { dataset: 'site/labels.csv', falseAlarms: 0.02, out: 'site.safetensors' });
 * decision.report.guarantee // { holds: true, rate: 0.02, … }
 */
export async function refit(model: string, options: RefitOptions): Promise<Refit> {
  const { out, replicates } = options;
  const { file, description } = readModelRecord(model);
  checkName(file, out);
  const before = ownDecision(description);
  const fit = fitOptions(before, options);
  if (!hasRows(options) && isRunFolder(model)) return refitRun(model, out, before, fit, description);
  const rows = await refitRows(model, description, options);
  refuseWithoutGroups(fit, rows);
  refusePartialGroups(fit, rows);
  const compared = await comparedRows(model, rows);
  const shared = compared && compared.rows > 0 ? compared : undefined;
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const fitted = rows.hasClasses
    ? fitOnValidation(rows.scored, fit, { note }).decision
    : fitGate(before, rows, fit, note);
  refuseTooFew(fitted, rows.name);
  const unsure = compared ? [] : [unknownRowsText(file, fitted.report)];
  const remarks = [
    ...rows.remarks,
    ...knownText(shared, rows),
    ...unsure,
    ...lostGroups(before, rows.scored),
    ...notes,
  ];
  const decision = shared ? withheld(fitted) : remarked(fitted, unsure);
  const origin = originOf(decision, rows, description, before);
  const metrics = rows.hasClasses
    ? crossFittedMetrics({ ...rows.scored, names: rows.names }, fit, { replicates })
    : undefined;
  writeWithDecision(model, out, decision, origin);
  return { out, decision, origin, crossFitted: metrics ?? null, remarks };
}

/** Refits a run on the scores that its own decision was fitted on. What validation chose among stays counted. */
async function refitRun(
  run: string,
  out: string,
  before: Decision,
  fit: FitDecisionOptions,
  description: ModelDescription,
): Promise<Refit> {
  const split = fittingSplit(runPaths(run));
  const scored = await runScores(run, split);
  const remarks: string[] = [];
  const { decision } = await refitDecision(run, before, fit, (text) => remarks.push(text));
  refuseTooFew(decision, `the ${split} split of ${run}`);
  const rows = { name: split, names: scored.names, scored, hasClasses: true, isNegative: [], remarks: [] };
  const origin = originOf(decision, rows, description, before);
  writeWithDecision(run, out, decision, origin);
  return { out, decision, origin, crossFitted: null, remarks };
}

/** The decision as the model file has it, which says why it promises nothing. */
function withheld(decision: Decision): Decision {
  const why = 'Nothing is promised: the model knew rows that this decision was fitted on.';
  return remarked({ ...decision, report: withoutPromise(decision.report) }, [why]);
}

function remarked(decision: Decision, texts: readonly string[]): Decision {
  const { report } = decision;
  return { ...decision, report: { ...report, remarks: [...texts, ...report.remarks] } };
}

function checkName(file: string, out: string): void {
  const ending = isOnnxFile(file) ? '.onnx' : '.safetensors';
  if (out.toLowerCase().endsWith(ending)) return;
  throw new UserError(`out is '${out}'; expected a name that ends in ${ending}, as ${file} does`);
}

/** The rule and budget of the decision before, with the given limits. */
function fitOptions(
  before: Decision,
  { falseAlarms, missed, per, confidence, candidates }: RefitOptions,
): FitDecisionOptions {
  return changedDecision(before, {
    budget: {
      ...(falseAlarms !== undefined && { falseAlarms }),
      ...(missed !== undefined && { missed: missed ?? undefined }),
      ...(per !== undefined && { per }),
      ...(confidence !== undefined && { confidence }),
    },
    ...(candidates !== undefined && { candidates }),
  });
}

/**
 * Rows of the site that the model's run knows: a decision fitted on them says nothing about new rows. Undefined if the file does
 * not say which it knows.
 */
async function comparedRows(
  model: string,
  { names, scored, shared }: RowsToFit,
): Promise<SharedRows | undefined> {
  if (shared) return shared;
  const known = await readKnownRows(model);
  return known && sharedRows(known, { names, groups: scored.groups });
}

function knownText(known: SharedRows | undefined, { names, shared }: RowsToFit): string[] {
  if (!known) return [];
  const { rows, byName, byHash, byGroup, examples } = known;
  const ways = [
    ...(byName > 0 ? ['name'] : []),
    ...(byHash > 0 ? ['contents'] : []),
    ...(byGroup > 0 ? ['group'] : []),
  ];
  const other = [
    ...(byName > 0 && !shared ? ['images'] : []),
    ...(byGroup > 0 && byName === 0 && byHash === 0 ? ['groups'] : []),
  ];
  return [
    `${rows.toLocaleString('en-US')} of ${counted(names.length, 'row')} ${inflected(rows, 'is', 'are')} known to the model from its training or validation, by ${listed(ways)} (${listed(examples)}), so nothing is promised; refit on rows that it does not know${other.length > 0 ? `, or rename them if they are other ${listed(other)}` : ''}`,
  ];
}

function lostGroups({ report }: Decision, { groups }: Scored): string[] {
  if (report.groups === null || report.groups === undefined || groups !== undefined) return [];
  return [
    'The decision before rested on groups; these rows have none, so each counts as independent. Name their groups if images of one patient, pipe or video are among them.',
  ];
}

function isPerGroup(budget: DecisionBudget | undefined): boolean {
  return budget !== undefined && promiseUnit(budget) === 'group';
}

function refuseWithoutGroups({ budget }: FitDecisionOptions, { scored, name }: RowsToFit): void {
  if (scored.groups !== undefined || !isPerGroup(budget)) return;
  throw new UserError(
    `${name} has no groups, so nothing can be limited per group; name the column with the group of each row, or set per to image`,
    { setting: 'groupColumn' },
  );
}

/** Of a group, some images say too little about the highest score of all: its alarm would look rarer than it is. */
function refusePartialGroups({ budget }: FitDecisionOptions, { partialGroups = 0, name }: RowsToFit): void {
  if (partialGroups === 0 || !isPerGroup(budget)) return;
  throw new UserError(
    `${name}: ${counted(partialGroups, 'group')} ${inflected(partialGroups, 'has', 'have')} images that were not drawn or have no label, so limits for whole groups cannot rest on the others; refit on data with all images of each group, or set per to image`,
  );
}

/** Throws if a promise was asked for that the rows cannot give. */
function refuseTooFew({ report, budget }: Decision, data: string): void {
  const few = [report.guarantee, report.triage?.guarantee].find(
    (promise): promise is NoGuarantee => promise?.holds === false && promise.reason.startsWith('too few'),
  );
  if (!few) return;
  const { of = 0, needed, ofGroups, reason } = few;
  const kind = reason === 'too few negatives' ? 'negative' : 'positive';
  const isOfWhole = isPerGroup(budget) && kind === 'negative';
  const having = isOfWhole ? 'with labeled negatives only' : `with a labeled ${kind}`;
  const [one, many] = ofGroups
    ? [`group ${having}`, `groups ${having}`]
    : [`labeled ${kind}`, `labeled ${kind}s`];
  const words = (count: number, more = '') =>
    `${count.toLocaleString('en-US')} ${more}${count === 1 ? one : many}`;
  const lacking = needed === undefined ? '' : ` it takes ${needed}: label ${words(needed - of, 'more ')}`;
  throw new UserError(
    `${data} has ${words(of)}, too few to promise this limit;${lacking}, or set confidence to null to keep the limit on these rows only`,
    { setting: 'confidence=none' },
  );
}

function originOf(
  { report }: Decision,
  { name, names, hasClasses }: RowsToFit,
  { decisionOrigin }: ModelDescription,
  before: Decision,
): DecisionOrigin {
  return {
    data: name,
    date: new Date().toISOString(),
    rows: names.length,
    positives: report.positives,
    negatives: report.negatives,
    undecided: report.undecided,
    groups: report.groups,
    rowNames: namesHash(names),
    hasNewThresholds: hasClasses,
    replaces: replacedDecision(before, decisionOrigin),
  };
}
