// Training as users call it: a finished run gets its report.

import type { ConfigurationInput } from '../configuration/schema.js';
import type { Dataset } from '../data/dataset/dataset.js';
import type { TrainingResult, TrainOptions } from '../training/activeRun.js';
import { resumeRun } from '../training/resumeRun.js';
import { type SoupOptions, type SoupResult, soupRuns } from '../training/soup.js';
import { trainRun } from '../training/trainRun.js';

/**
 * Trains with a configuration, evaluates the result and writes its report.
 *
 * @example
 * const { folder, summary } = await trainAndReport({ data: { dataset: 'digits' }, network: { name: 'tresnet-s', inputSize: 64 } });
 * summary?.test?.metrics.mAP
 */
export function trainAndReport(
  configuration: ConfigurationInput,
  options: TrainOptions = {},
): Promise<TrainingResult> {
  return trainRun(configuration, { onJudged: writeReport, ...options });
}

/**
 * Resumes a run from its newest usable checkpoint, as if it had never stopped. A finished run is left
 * unchanged.
 *
 * @example
 * await resumeAndReport('runs/sewer');
 */
export function resumeAndReport(
  folder: string,
  options: Omit<TrainOptions, 'run'> = {},
): Promise<TrainingResult> {
  return resumeRun(folder, { onJudged: writeReport, ...options });
}

/**
 * Averages the weights of several runs where that improves validation, evaluates the result and writes its report.
 *
 * @example
 * await soupAndReport(['runs/a', 'runs/b'], { out: 'runs/soup' });
 */
export function soupAndReport(runs: readonly string[], options: SoupOptions): Promise<SoupResult> {
  return soupRuns(runs, { onJudged: writeReport, ...options });
}

/** Writes the report; its code is loaded only for a finished run. */
async function writeReport(folder: string, dataset: Dataset): Promise<void> {
  const { writeRunReport } = await import('../reports/runReport.js');
  await writeRunReport(folder, dataset);
}
