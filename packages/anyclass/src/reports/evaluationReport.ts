import type { Scored } from '@anyclass/core';
import type { Judgment } from '../events/judgment.js';
import type { Quarantined } from '../events/runSummary.js';
import { judgmentVerdict } from '../experiments/verdict.js';
import { chartRow, verdictBlock } from '../pages/blocks.js';
import { page, sections } from '../pages/page.js';
import { judgmentSections } from './runReport.js';
import { scoreCharts } from './scoreCharts.js';
import { unreadableSection } from './unreadableImages.js';

/**
 * Returns a judgment as one HTML page, with charts if the scores are given, and with the images that could
 * not be read.
 *
 * @example
 * writeFileSync('evaluation.html', evaluationPage('scores.csv', judgment, scored))
 */
export function evaluationPage(
  title: string,
  judgment: Judgment,
  scored?: Scored,
  quarantined: readonly Quarantined[] = [],
): string {
  // The split of scores from a file is the file itself, which the title already names.
  const split = judgment.split === title ? '' : judgment.split;
  return page(title, [
    verdictBlock(judgmentVerdict(judgment)),
    ...sections([
      ...judgmentSections({ ...judgment, split }),
      ...(scored
        ? [
            {
              name: 'scores',
              title: 'Scores',
              parts: [chartRow(scoreCharts(scored, judgment.calibrated?.calibration))],
            },
          ]
        : []),
      ...unreadableSection(quarantined),
    ]),
  ]);
}
