// Several losses, networks, datasets and seeds trained and compared: the function behind `anyclass compare`.

import { checkDecisionOptions } from '@anyclass/core';
import type { Comparison, DecisionSettings } from './comparison.js';
import { comparisonTables } from './comparisonTables.js';
import { type ExperimentControl, type ExperimentSettings, runExperiment } from './experiment.js';
import { type PlannedRun, planRuns } from './plan.js';
import { readRuns } from './readRuns.js';
import { compareWithProgress, type UnfinishedRun, unfinishedRuns, writeResultFiles } from './results.js';
import { parseSeeds, parseVariant, parseVariants } from './variants.js';

/** What `compare` and `sweep` have in common. */
export interface ExperimentOptions extends ExperimentSettings {
  /** A configuration's file or a recipe's name. */
  readonly config: string;
  /** DATASET, in place of the configuration's. */
  readonly data?: string | undefined;
  /** `field=value`, for all runs. */
  readonly set?: readonly string[];
  /** Such as `1,2,3`, the default. */
  readonly seeds?: string;
  /** Bootstrap replicates; 0 disables differences. Default 1000, at decisions as many of them as fit into a minute. */
  readonly replicates?: number;
  /** How runs are decided, all at the same price. Default by the gate, at 5% false alarms with a confidence of 0.95. */
  readonly decision?: DecisionSettings;
}

export interface CompareOptions extends ExperimentOptions {
  /** Losses with settings behind `@`. Default `bce,any-bce,focal,any-focal`. */
  readonly losses?: string;
  /** Networks, likewise. Default that of the configuration. */
  readonly networks?: string | undefined;
  /** Data, likewise, one each. */
  readonly datasets?: readonly string[];
}

export interface ExperimentHooks extends ExperimentControl {
  /** Hears of the runs before the first begins. */
  readonly onPlan?: (plan: readonly PlannedRun[]) => void;
}

export interface CompareResult {
  /** Left out where the experiment was interrupted, or no run is finished. */
  readonly comparison?: Comparison;
  readonly unfinished: readonly UnfinishedRun[];
}

/**
 * Trains every combination of losses, networks, datasets and seeds that is not finished yet, compares them and writes
 * `comparison.json` and tables. Call it again to resume after an interruption.
 *
 * @example
 * const { comparison } = await compare({ config: 'quick', losses: 'bce,any-bce', seeds: '1,2', out: 'comparisons/digits' });
 * comparison?.verdict
 */
export async function compare(options: CompareOptions, hooks: ExperimentHooks = {}): Promise<CompareResult> {
  const { losses = 'bce,any-bce,focal,any-focal', networks, datasets = [], out, replicates = 1000 } = options;
  const { decision = {} } = options;
  // Before hours of training.
  checkDecisionOptions(decision);
  const plan = await planRuns({
    ...request(options),
    losses: parseVariants(losses, 'loss'),
    ...(networks !== undefined && { networks: parseVariants(networks, 'network') }),
    datasets: datasets.map((text) => parseVariant(text, 'data')),
  });
  hooks.onPlan?.(plan);
  const runs = await runExperiment(plan, options, hooks);
  const unfinished = unfinishedRuns(runs);
  if (hooks.signal?.aborted || runs.folders.length === 0) return { unfinished };
  const comparison = await compareWithProgress(
    readRuns(runs.folders),
    { replicates, decision },
    hooks.onEvent,
  );
  writeResultFiles(out, 'comparison', comparison, comparisonTables(comparison));
  return { comparison, unfinished };
}

/** The part of a plan that all experiments have. With `devices`, a child sees its own GPU alone, which is `cuda` to it. */
export function request({ config, data, set = [], seeds = '1,2,3', devices, out }: ExperimentOptions) {
  const isOnCpu = devices?.split(',').every((name) => name.trim() === 'cpu');
  const device = devices === undefined ? [] : [isOnCpu ? 'device=cpu' : 'device=cuda'];
  return { config, data, set: [...set, ...device], seeds: parseSeeds(seeds), out };
}
