// Trains and compares several losses, networks, datasets and seeds: the function behind `anyclass compare`.

import { checkDecisionOptions } from '@anyclass/core';
import type { Comparison, DecisionSettings } from './comparison.js';
import { comparisonTables } from './comparisonTables.js';
import { type ExperimentControl, type ExperimentSettings, runExperiment } from './experiment.js';
import { type PlannedRun, planRuns } from './plan.js';
import { readRuns } from './readRuns.js';
import { compareWithProgress, type UnfinishedRun, unfinishedRuns, writeResultFiles } from './results.js';
import { parseSeeds, parseVariant, parseVariants } from './variants.js';

/** Options that `compare` and `sweep` have in common. */
export interface ExperimentOptions extends ExperimentSettings {
  /** A configuration file or a recipe name. */
  readonly config: string;
  /** A DATASET to use instead of the configuration's. */
  readonly data?: string | undefined;
  /** `field=value`, for all runs. */
  readonly set?: readonly string[];
  /** Comma-separated seeds; default `1,2,3`. */
  readonly seeds?: string;
  /** Bootstrap replicates; default 1000; 0 disables differences. At decisions, capped to one minute. */
  readonly replicates?: number;
  /** How all runs are decided. Default: the gate, at 5% false alarms with a confidence of 0.95. */
  readonly decision?: DecisionSettings;
}

export interface CompareOptions extends ExperimentOptions {
  /** Comma-separated losses, each with optional settings after `@`. Default `bce,any-bce,focal,any-focal`. */
  readonly losses?: string;
  /** Comma-separated networks, with settings in the same way. Default: the configuration's network. */
  readonly networks?: string | undefined;
  /** Datasets, one per entry, with settings in the same way; each gets its own runs. */
  readonly datasets?: readonly string[];
}

export interface ExperimentHooks extends ExperimentControl {
  /** Called with the planned runs before the first one starts. */
  readonly onPlan?: (plan: readonly PlannedRun[]) => void;
}

export interface CompareResult {
  /** Omitted if the experiment was interrupted or no run is finished. */
  readonly comparison?: Comparison;
  readonly unfinished: readonly UnfinishedRun[];
}

/**
 * Trains every combination of losses, networks, datasets and seeds that is not finished yet, compares them
 * and writes `comparison.json` and tables. Call it again to resume after an interruption.
 *
 * @example
 * const { comparison } = await compare({ config: 'quick', losses: 'bce,any-bce', seeds: '1,2', out: 'comparisons/digits' });
 * comparison?.verdict
 */
export async function compare(options: CompareOptions, hooks: ExperimentHooks = {}): Promise<CompareResult> {
  const { losses = 'bce,any-bce,focal,any-focal', networks, datasets = [], out, replicates = 1000 } = options;
  const { decision = {} } = options;
  // Fail here rather than after hours of training.
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

/** The plan options that experiments share. With `devices`, each child sees only its own GPU, as `cuda`. */
export function request({ config, data, set = [], seeds = '1,2,3', devices, out }: ExperimentOptions) {
  const isOnCpu = devices?.split(',').every((name) => name.trim() === 'cpu');
  const device = devices === undefined ? [] : [isOnCpu ? 'device=cpu' : 'device=cuda'];
  return { config, data, set: [...set, ...device], seeds: parseSeeds(seeds), out };
}
