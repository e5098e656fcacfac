import type { Comparison } from '../experiments/comparisonResult.js';
import { readRuns } from '../experiments/readRuns.js';
import { writeWhole } from '../files/wholeFile.js';
import { experimentReport, reportPage } from '../reports/experiment/experimentReport.js';

/**
 * Writes the page of a comparison that was just made, from its runs, and returns its path. `answer`: what a sweep found.
 *
 * @example
 * await writeExperimentPage('comparisons/coco/comparison.html', 'coco', comparison)
 */
export async function writeExperimentPage(
  path: string,
  title: string,
  comparison: Comparison,
  answer?: string,
): Promise<string> {
  // In the comparison's order: its groups are found by their place.
  const runs = readRuns(comparison.groups.flatMap(({ folders }) => folders));
  writeWhole(path, reportPage(await experimentReport(runs, { title, comparison, answer })));
  return path;
}
