// Computes a group's metrics from the scores of its runs.

import { eachMetric, type JudgedModel, type Metrics, measure, type PaperMetric } from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import type { DecidedGroup, DecidedSpreads, GroupMetrics, MetricSpreads } from './comparisonResult.js';
import { type DecidedMetrics, type DecidedRun, decideRun, whyUndecided } from './decidedRun.js';
import type { DecisionChoice } from './decisionText.js';
import { type OutcomeRate, spreadOf } from './metrics.js';
import type { Run, ScoredImages } from './readRuns.js';
import type { SeedGroup } from './seedGroups.js';
import { tradeOffSpread } from './tradeOff.js';

export interface JudgedGroup {
  readonly group: SeedGroup;
  readonly metrics: GroupMetrics;
  /** One for each run; differences are computed from these. */
  readonly models: readonly ComparedModel[];
  /** Why no decision is evaluated, if none is. */
  readonly undecided: string | undefined;
}

/** Scores to evaluate at 0.5: on test, or on validation if the test split has no labels. */
export interface ComparedModel extends JudgedModel {
  readonly scored: ScoredImages;
  /** What decisions are fitted on. */
  readonly validation: ScoredImages;
  readonly folder: string;
}

/** Evaluates all runs of a group at 0.5 and at their decisions. */
export async function judgeGroup(group: SeedGroup, choice: DecisionChoice): Promise<JudgedGroup> {
  const { runs, ...rest } = group;
  const judged: JudgedRun[] = [];
  // One at a time: reading a score table takes a lot of memory.
  for (const run of runs) judged.push(await judgeRun(run, choice));
  refuseOtherCounts(group.label, judged);
  return {
    group,
    models: judged.map(({ model }) => model),
    undecided: judged.find(({ undecided }) => undecided !== undefined)?.undecided,
    metrics: {
      ...rest,
      folders: runs.map(({ folder }) => folder),
      metrics: metricsFor(runs[0]!),
      validation: spreads(judged.map(({ validation }) => validation)),
      test: ifAll(
        judged.map(({ test }) => test),
        spreads,
      ),
      decided: ifAll(
        judged.map(({ decided }) => decided),
        (decided) => decidedGroup(decided, choice),
      ),
    },
  };
}

interface JudgedRun {
  readonly model: ComparedModel;
  readonly validation: Metrics;
  readonly test: Metrics | undefined;
  readonly decided: DecidedRun | undefined;
  readonly undecided: string | undefined;
}

async function judgeRun(run: Run, choice: DecisionChoice): Promise<JudgedRun> {
  const { folder, classImportance } = run;
  const importance = classImportance ? { classImportance } : {};
  const validation = await run.scores('validation');
  if (!validation) throw new UserError(`${folder}: no scores and labels for the validation split`);
  const test = await run.scores('test');
  const metrics = measure(validation, importance);
  const undecided = whyUndecided(metrics, choice);
  const held = await run.scores('decision');
  const decided =
    undecided === undefined ? decideRun({ validation, held, test }, choice, classImportance) : undefined;
  return {
    model: { folder, validation: held ?? validation, scored: test ?? validation, thresholds: [0.5] },
    validation: metrics,
    test: test && measure(test, importance),
    decided,
    undecided: undecided && `${folder} is evaluated at 0.5 only: ${undecided}`,
  };
}

/** A mean over runs on different images is meaningless; a score table may have been truncated. */
function refuseOtherCounts(label: string, [first, ...others]: readonly JudgedRun[]): void {
  for (const split of ['validation', 'test'] as const) {
    const images = first![split]?.rows ?? 0;
    const other = others.find((run) => (run[split]?.rows ?? 0) !== images);
    if (!other) continue;
    throw new UserError(
      `${first!.model.folder} was evaluated on ${images} ${split} instances, ${other.model.folder} on ${other[split]?.rows ?? 0}: both are seeds of ${label} and must share the same instances; leave one of them out`,
    );
  }
}

/** F2-CIW replaces F2 if the classes have an importance. */
function metricsFor({ classImportance }: Run): PaperMetric[] {
  return ['macroF1', classImportance ? 'f2Ciw' : 'macroF2', 'mAP', 'f1Neg'];
}

function decidedGroup(runs: readonly DecidedRun[], { rule, budget, beta }: DecisionChoice): DecidedGroup {
  return {
    rule,
    budget,
    beta,
    fittedOn: runs[0]!.decision.fittedOn ?? 'validation',
    guarantee: runs[0]!.decision.report.guarantee,
    neverPredicted: runs[0]!.decision.report.neverPredicted.filter((name) =>
      runs.every(({ decision }) => decision.report.neverPredicted.includes(name)),
    ),
    validation: ifAll(
      runs.map(({ crossFitted }) => crossFitted),
      decidedSpreads,
    ),
    test: ifAll(
      runs.map(({ test }) => test),
      decidedSpreads,
    ),
    tradeOff: tradeOffSpread(runs.map(({ tradeOff }) => tradeOff)),
  };
}

/** Applies `of` to the values of all runs; null if any run has none. */
function ifAll<Value, Result>(
  values: readonly (Value | undefined)[],
  of: (values: readonly Value[]) => Result,
): Result | null {
  const defined = values.filter((value) => value !== undefined);
  return defined.length === values.length ? of(defined) : null;
}

/** The spread of each metric over the runs of a group. */
function spreads(metrics: readonly Metrics[]): MetricSpreads {
  return eachMetric((metric) => spreadOf(metrics.map((each) => each[metric])));
}

function decidedSpreads(metrics: readonly DecidedMetrics[]): DecidedSpreads {
  const of = (name: OutcomeRate | 'presenceAuc') => spreadOf(metrics.map((each) => each[name]));
  return {
    ...spreads(metrics),
    negativesAlarmedByGroup: of('negativesAlarmedByGroup'),
    groupsAlarmed: of('groupsAlarmed'),
    reviewRate: of('reviewRate'),
    missedRate: of('missedRate'),
    missedRateByGroup: of('missedRateByGroup'),
    groupsMissed: of('groupsMissed'),
    presenceAuc: of('presenceAuc'),
  };
}
