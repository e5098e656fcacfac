// A group's figures, from the scores of its runs.

import {
  eachFigure,
  fitThresholds,
  type JudgedModel,
  type Metrics,
  measure,
  type PaperFigure,
  type ThresholdCurves,
  thresholdCurves,
} from '@anyclass/core';
import { UserError } from '../errors/userError.js';
import type { FigureSpreads, GroupFigures } from './comparison.js';
import { spreadOf } from './figures.js';
import type { Run, ScoredImages } from './readRuns.js';
import type { SeedGroup } from './seedGroups.js';

export interface JudgedGroup {
  readonly group: SeedGroup;
  readonly figures: GroupFigures;
  /** What differences are computed from, one for each run. */
  readonly models: readonly ComparedModel[];
  /** On validation, one for each run. */
  readonly curves: readonly ThresholdCurves[];
}

/**
 * Scores on test at 0.5, at fitted thresholds and at one that keeps the negatives, or on validation at 0.5 where the test split has
 * no labels.
 */
export interface ComparedModel extends JudgedModel {
  readonly scored: ScoredImages;
  readonly validation: ScoredImages;
  readonly folder: string;
}

export async function judgeGroup(group: SeedGroup, thresholdBeta: number): Promise<JudgedGroup> {
  const { runs, ...rest } = group;
  const judged: JudgedRun[] = [];
  // One after another: a table of scores is large while it is read.
  for (const run of runs) judged.push(await judgeRun(run, thresholdBeta));
  refuseOtherCounts(group.label, judged);
  return {
    group,
    models: judged.map(({ model }) => model),
    curves: judged.map(({ curves }) => curves),
    figures: {
      ...rest,
      folders: runs.map(({ folder }) => folder),
      figures: figuresFor(runs[0]!),
      validation: spreads(judged.map(({ validation }) => validation)),
      test: spreadsIfAll(judged.map(({ test }) => test)),
      fittedTest: spreadsIfAll(judged.map(({ fittedTest }) => fittedTest)),
      keptTest: null,
      keptThresholds: null,
    },
  };
}

interface JudgedRun {
  readonly model: ComparedModel;
  readonly curves: ThresholdCurves;
  readonly validation: Metrics;
  readonly test?: Metrics;
  readonly fittedTest?: Metrics;
}

async function judgeRun(run: Run, thresholdBeta: number): Promise<JudgedRun> {
  const { folder, classImportance } = run;
  const importance = classImportance ? { classImportance } : {};
  const validation = await run.scores('validation');
  if (!validation) throw new UserError(`${folder}: no scores and labels for the validation split`);
  const test = await run.scores('test');
  const judged = { validation: measure(validation, importance), curves: thresholdCurves(validation) };
  if (!test) return { ...judged, model: { folder, validation, scored: validation, thresholds: [0.5] } };
  const fitted = fitThresholds(validation, { beta: thresholdBeta });
  return {
    ...judged,
    model: { folder, validation, scored: test, thresholds: [0.5, fitted] },
    test: measure(test, importance),
    fittedTest: measure(test, { ...importance, threshold: fitted }),
  };
}

/** A mean over runs on other images means nothing: a table of scores was cut off, perhaps. */
function refuseOtherCounts(label: string, [first, ...others]: readonly JudgedRun[]): void {
  for (const split of ['validation', 'test'] as const) {
    const images = first![split]?.rows ?? 0;
    const other = others.find((run) => (run[split]?.rows ?? 0) !== images);
    if (!other) continue;
    throw new UserError(
      `${first!.model.folder} was judged on ${images} ${split} images, ${other.model.folder} on ${other[split]?.rows ?? 0}: they are seeds of ${label} and must share the same images; leave one of them out`,
    );
  }
}

/** F2-CIW stands in the place of F2 where classes have an importance. */
function figuresFor({ classImportance }: Run): PaperFigure[] {
  return ['macroF1', classImportance ? 'f2Ciw' : 'macroF2', 'mAP', 'f1Neg'];
}

function spreadsIfAll(metrics: readonly (Metrics | undefined)[]): FigureSpreads | null {
  const defined = metrics.filter((each) => each !== undefined);
  return defined.length === metrics.length ? spreads(defined) : null;
}

/** Each figure over the runs of a group. */
export function spreads(metrics: readonly Metrics[]): FigureSpreads {
  return eachFigure((figure) => spreadOf(metrics.map((each) => each[figure])));
}
