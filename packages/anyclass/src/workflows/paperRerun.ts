// The function behind `anyclass paper`: reruns a table of the paper and writes a page with the published
// results next to ours.

import { join } from 'node:path';
import type { ExperimentHooks } from '../experiments/compare.js';
import type { Comparison } from '../experiments/comparisonResult.js';
import { runExperiment } from '../experiments/experiment.js';
import { estimatePlan, type PlanEstimate } from '../experiments/paperEstimatePlan.js';
import { type PaperOptions, type PaperTable, planPaper } from '../experiments/paperPlan.js';
import { readRuns } from '../experiments/readRuns.js';
import { type UnfinishedRun, unfinishedRuns } from '../experiments/results.js';
import { writeWhole } from '../files/wholeFile.js';

export interface RerunOptions extends PaperOptions {
  /** Whether to only plan and estimate; default false. */
  readonly dryRun?: boolean;
}

export interface RerunHooks extends ExperimentHooks {
  /** Called with the estimated time and disk space before the first run starts. */
  readonly onEstimate?: (estimate: PlanEstimate) => void;
}

export interface RerunResult {
  readonly estimate: PlanEstimate;
  /** Omitted in a dry run, after an interruption, or if no run is finished. */
  readonly comparison?: Comparison;
  /** Path of the page, if there is a comparison; tables and charts are in the folder of the same name. */
  readonly page?: string;
  readonly unfinished: readonly UnfinishedRun[];
}

/** The titles of the tables. */
export const paperTitles: Readonly<Record<PaperTable, string>> = {
  '1': 'Table 1: losses on SewerML',
  '2': 'Table 2: losses on ChestX-ray14',
  '3': 'Table 3: losses on COCO-41',
  lambda: 'λ ablations',
  all: 'All tables and λ ablations',
};

/**
 * Trains the unfinished runs of a table of the paper, each network with its own recipe, and writes a page
 * with the published results next to ours, and the comparison as JSON. Call it again to resume after an
 * interruption. Several tables may share a folder, and then share runs.
 *
 * @example
 * const { page } = await rerunPaper({ table: '2', data: ['chestxray14=data/chest'], out: 'paper' });
 * page // 'paper/table-2.html'
 */
export async function rerunPaper(options: RerunOptions, hooks: RerunHooks = {}): Promise<RerunResult> {
  const { table, out, replicates = 1000, dryRun = false } = options;
  const plan = await planPaper(options);
  const estimate = await estimatePlan(plan, options);
  hooks.onEstimate?.(estimate);
  if (dryRun) return { estimate, unfinished: [] };
  hooks.onPlan?.(plan);
  const made = await runExperiment(plan, options, hooks);
  const unfinished = unfinishedRuns(made);
  if (hooks.signal?.aborted || made.folders.length === 0) return { estimate, unfinished };
  // Loaded late: a dry run writes no page.
  const { experimentReport, reportPage, writeAssets } = await import(
    '../reports/experiment/experimentReport.js'
  );
  const title = paperTitles[table];
  const report = await experimentReport(readRuns(made.folders), { title, paper: 'auto', replicates });
  for (const text of report.comparison.notes) hooks.onEvent?.({ type: 'note', text });
  const path = join(out, /^\d$/.test(table) ? `table-${table}` : table);
  writeWhole(`${path}.html`, reportPage(report));
  writeWhole(`${path}.json`, `${JSON.stringify(report.comparison, null, 2)}\n`);
  writeAssets(path, report);
  return { estimate, comparison: report.comparison, page: `${path}.html`, unfinished };
}
