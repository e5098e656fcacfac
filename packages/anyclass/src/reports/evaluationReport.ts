import type { Scored } from '@anyclass/core';
import type { Judgement } from '../evaluation/judge.js';
import { escaped } from '../pages/escaped.js';
import { page } from '../pages/page.js';
import { judgementParts } from './runReport.js';
import { scoreCharts } from './scoreCharts.js';

/**
 * A judgement as one HTML page, with charts where the scores are given.
 *
 * @example
 * writeFileSync('evaluation.html', evaluationPage('scores.csv', judgement, scored))
 */
export function evaluationPage(title: string, judgement: Judgement, scored?: Scored): string {
  return page(title, [
    `<h1>${escaped(title)}</h1>`,
    ...judgementParts(judgement),
    ...(scored ? ['<h2>Scores</h2>', scoreCharts(scored, judgement.calibrated?.calibration)] : []),
  ]);
}
