// Trains and compares several losses, networks, datasets and seeds: the function behind `anyclass compare`.

import { checkDecisionOptions } from '@anyclass/core';
import { configuredForChildren } from '../children/devices.js';
import { joinedSettings, type Settings } from '../configuration/overrides.js';
import type { DecisionSettings } from './comparison.js';
import type { Comparison } from './comparisonResult.js';
import { comparisonTables } from './comparisonTables.js';
import { type ExperimentControl, type ExperimentSettings, runExperiment } from './experiment.js';
import { planRuns } from './plan.js';
import type { PlannedRun } from './plannedRun.js';
import { readRuns } from './readRuns.js';
import { compareWithProgress, type UnfinishedRun, unfinishedRuns, writeResultFiles } from './results.js';
import type { DataVariant, LossVariant, NetworkVariant } from './variants.js';

/** Options that `compare` and `sweep` have in common. */
export interface ExperimentOptions extends ExperimentSettings {
  /** A configuration file or a recipe name. */
  readonly config: string;
  /** A DATASET to use instead of the configuration's. */
  readonly data?: string | undefined;
  /** Fields to set in all runs, by their dotted names. */
  readonly set?: Settings;
  /** Default 1, 2 and 3. */
  readonly seeds?: readonly number[];
  /** Bootstrap replicates; default 1000; 0 disables differences. At decisions, capped to one minute. */
  readonly replicates?: number;
  /** How all runs are decided. Default: the gate, at 5% false alarms with a confidence of 0.95. */
  readonly decision?: DecisionSettings;
}

export interface CompareOptions extends ExperimentOptions {
  /** Losses, each with its own settings. Default: bce, any-bce, focal and any-focal. */
  readonly losses?: readonly LossVariant[];
  /** Default: the configuration's network. */
  readonly networks?: readonly NetworkVariant[] | undefined;
  /** Each gets its own runs. Default: the configuration's data. */
  readonly datasets?: readonly DataVariant[];
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
 * const losses = [{ name: 'bce' }, { name: 'any-bce', set: { 'loss.lambda': 0.2 } }] as const;
 * const { comparison } = await compare({ config: 'quick', losses, seeds: [1, 2], out: 'comparisons/digits' });
 * comparison?.verdict
 */
export async function compare(options: CompareOptions, hooks: ExperimentHooks = {}): Promise<CompareResult> {
  const { losses = comparedLosses, networks, datasets, out, replicates = 1000, decision = {} } = options;
  // Fail here rather than after hours of training.
  checkDecisionOptions(decision);
  const plan = await planRuns({ ...request(options), losses, networks, datasets }, (text) =>
    hooks.onEvent?.({ type: 'note', text }),
  );
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

/** The losses that are compared by default. */
export const comparedLosses: readonly LossVariant[] = [
  { name: 'bce' },
  { name: 'any-bce' },
  { name: 'focal' },
  { name: 'any-focal' },
];

/** The plan options that experiments share. */
export function request({ config, data, set, seeds = [1, 2, 3], devices, out }: ExperimentOptions) {
  return { config, data, set: joinedSettings(set, configuredForChildren(devices)), seeds, out };
}
