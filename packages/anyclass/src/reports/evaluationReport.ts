import type { Scored } from '@anyclass/core';
import { folded, verdict } from '@anyclass/kit';
import type { Judgment } from '../events/judgment.js';
import type { Quarantined } from '../events/runSummary.js';
import { judgmentVerdict } from '../experiments/comparisonVerdict.js';
import { chartRow } from '../pages/blocks.js';
import { page } from '../pages/page.js';
import { answers } from './run/answers.js';
import { calibrationPanel } from './run/curves.js';
import { judgmentDetails, unreadable } from './run/details.js';
import { decisionInUse } from './run/material.js';
import { scoreCharts } from './scoreCharts.js';

/**
 * Returns a judgment as one HTML page, with counts and charts if the scores are given, and with the images
 * that could not be read.
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
  const judged = { ...judgment, split: judgment.split === title ? '' : judgment.split };
  const details = {
    name: 'details',
    title: 'All metrics',
    parts: [
      ...judgmentDetails(judged),
      ...(scored
        ? [
            folded(
              'Curves',
              'metrics against the threshold, precision against recall',
              chartRow(scoreCharts(scored)),
            ),
          ]
        : []),
      ...unreadable(quarantined),
    ],
  };
  if (!scored)
    return page({
      kind: 'evaluations',
      name: title,
      head: [verdict({ tags: [], headline: judgmentVerdict(judged), text: '' })],
      sections: [details],
    });
  const material = { judged, scored, names: [], instance: 'image' } as const;
  return page({
    kind: 'evaluations',
    name: title,
    head: [answers(material, decisionInUse(material), [])],
    sections: [
      {
        name: 'calibration',
        title: 'Calibration',
        parts: [`<div class="columns three">${calibrationPanel(scored, judged.split)}</div>`],
      },
      details,
    ],
  });
}
