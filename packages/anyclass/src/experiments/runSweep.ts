// Trains and compares one field at several values: the function behind `anyclass sweep`.

import { checkDecisionOptions } from '@anyclass/core';
import { readConfiguration } from '../training/readConfiguration.js';
import { type ExperimentHooks, type ExperimentOptions, request } from './compare.js';
import { comparisonTables } from './comparisonTables.js';
import { sweepVerdict } from './comparisonVerdict.js';
import { runExperiment } from './experiment.js';
import { planRuns } from './plan.js';
import { readRuns } from './readRuns.js';
import {
  compareWithProgress,
  testWithProgress,
  type UnfinishedRun,
  unfinishedRuns,
  writeResultFiles,
} from './results.js';
import { plannedValues, recommend, sweepPoints } from './sweep.js';
import { type SweptValues, sweepVariants, sweptField } from './sweepPlan.js';
import type { Sweep } from './sweepResult.js';

export interface SweepOptions extends ExperimentOptions {
  /** The field and its values. Default: λ at the values that the paper tries. */
  readonly over?: SweptValues;
}

export interface SweepResult {
  /** Omitted if the sweep was interrupted or no run is finished. */
  readonly sweep?: Sweep;
  readonly unfinished: readonly UnfinishedRun[];
}

/** The values that the paper tries. */
export const defaultOver: SweptValues = {
  field: 'loss.lambda',
  values: [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
};

/**
 * Trains with a field at each of the values, compares the runs, writes `sweep.json` and tables, and
 * recommends a value if the choice matters. Call it again to resume after an interruption.
 *
 * @example
 * const { sweep: result } = await sweep({ config: 'quick', over: { field: 'loss.lambda', values: [0.02, 0.2] }, out: 'sweeps/lambda' });
 * result?.verdict
 */
export async function sweep(options: SweepOptions, hooks: ExperimentHooks = {}): Promise<SweepResult> {
  const { over = defaultOver, out, replicates = 1000, decision = {} } = options;
  checkDecisionOptions(decision);
  const swept = sweptField(over);
  const { config, data, set, ...rest } = request(options);
  const losses = sweepVariants(swept, await readConfiguration(config, { dataset: data, set }));
  const plan = await planRuns({ config, data, set, ...rest, losses }, (text) =>
    hooks.onEvent?.({ type: 'note', text }),
  );
  hooks.onPlan?.(plan);
  const made = await runExperiment(plan, options, hooks);
  const unfinished = unfinishedRuns(made);
  if (hooks.signal?.aborted || made.folders.length === 0) return { unfinished };
  const runs = readRuns(made.folders);
  const comparison = await compareWithProgress(runs, { replicates, decision }, hooks.onEvent);
  const points = sweepPoints(swept, comparison, plan);
  const { field, title } = swept;
  const ranked = recommend(points, title, comparison.decision, plannedValues(swept, plan));
  // Metrics from different images cannot rank values.
  const recommendation =
    comparison.notes.length > 0
      ? { reason: `No ${title} is recommended: ${comparison.notes.join('; ')}` }
      : await testWithProgress(
          ranked,
          points,
          runs,
          title,
          { replicates, decision: comparison.decision },
          hooks.onEvent,
        );
  const verdict = sweepVerdict(recommendation, points, comparison);
  const result: Sweep = { verdict, field, title, points, recommendation, comparison };
  writeResultFiles(out, 'sweep', result, comparisonTables(comparison));
  return { sweep: result, unfinished };
}
