import type { Scored } from '@anyclass/core';
import { panel, verdict } from '@anyclass/kit';
import type { Judgment } from '../events/judgment.js';
import type { Quarantined } from '../events/runSummary.js';
import { judgmentVerdict } from '../experiments/comparisonVerdict.js';
import { page } from '../pages/page.js';
import { answers } from './run/answers.js';
import { calibrationPanel } from './run/curves.js';
import { judgmentDetails, unreadable } from './run/details.js';
import { decisionInUse } from './run/material.js';
import { scoreCharts } from './scoreCharts.js';

export interface EvaluationPageOptions {
  /** The scores that were judged, for counts and charts. */
  readonly scored?: Scored;
  /** The scores that the decision was fitted on, for the trade-off. */
  readonly fitted?: Scored | undefined;
  /** What a row of the scores is; by default an image. */
  readonly instance?: 'image' | 'row';
  /** Images that could not be read. */
  readonly quarantined?: readonly Quarantined[];
}

/**
 * Returns a judgment as one HTML page.
 *
 * @example
 * writeFileSync('evaluation.html', evaluationPage('scores.csv', judgment, { scored }))
 */
export function evaluationPage(
  title: string,
  judgment: Judgment,
  { scored, fitted, instance = 'image', quarantined = [] }: EvaluationPageOptions = {},
): string {
  // The split of scores from a file is the file itself, which the title already names.
  const judged = { ...judgment, split: judgment.split === title ? '' : judgment.split };
  const details = {
    name: 'details',
    title: 'All metrics',
    parts: [...judgmentDetails(judged), ...unreadable(quarantined)],
  };
  if (!scored)
    return page({
      kind: 'evaluations',
      name: title,
      head: [verdict({ tags: [], headline: judgmentVerdict(judged), text: '' })],
      sections: [details],
    });
  const material = { judged, scored, fitted, names: [], instance } as const;
  const curves = scoreCharts(scored).map(({ title: name, svg }) => panel(name, '', svg));
  return page({
    kind: 'evaluations',
    name: title,
    head: [answers(material, decisionInUse(material), [])],
    sections: [
      {
        name: 'calibration',
        title: 'Calibration and curves',
        link: 'Calibration',
        parts: [
          `<div class="columns three">${[calibrationPanel(scored, judged.split), ...curves].join('')}</div>`,
        ],
      },
      details,
    ],
  });
}
