import type { Scored } from '@anyclass/core';
import type { Judgement } from '../evaluation/judge.js';
import { figureRow } from '../pages/blocks.js';
import { page, sections } from '../pages/page.js';
import { judgementSections } from './runReport.js';
import { scoreFigures } from './scoreFigures.js';

/**
 * A judgement as one HTML page, with charts where the scores are given.
 *
 * @example
 * writeFileSync('evaluation.html', evaluationPage('scores.csv', judgement, scored))
 */
export function evaluationPage(title: string, judgement: Judgement, scored?: Scored): string {
  // Scores of a file are of no split but that file, which the title names already.
  const split = judgement.split === title ? '' : judgement.split;
  return page(
    title,
    sections([
      ...judgementSections({ ...judgement, split }),
      ...(scored
        ? [
            {
              name: 'scores',
              title: 'Scores',
              parts: [figureRow(scoreFigures(scored, judgement.calibrated?.calibration))],
            },
          ]
        : []),
    ]),
  );
}
