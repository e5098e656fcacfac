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
  return page(
    title,
    sections([
      ...judgementSections(judgement),
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
