import type { Scored } from '@anyclass/core';
import type { Judgment } from '../events/judgment.js';
import { judgmentVerdict } from '../experiments/verdict.js';
import { figureRow, verdictBlock } from '../pages/blocks.js';
import { page, sections } from '../pages/page.js';
import { judgmentSections } from './runReport.js';
import { scoreFigures } from './scoreFigures.js';

/**
 * A judgment as one HTML page, with charts where the scores are given.
 *
 * @example
 * writeFileSync('evaluation.html', evaluationPage('scores.csv', judgment, scored))
 */
export function evaluationPage(title: string, judgment: Judgment, scored?: Scored): string {
  // Scores of a file are of no split but that file, which the title names already.
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
              parts: [figureRow(scoreFigures(scored, judgment.calibrated?.calibration))],
            },
          ]
        : []),
    ]),
  ]);
}
