// The page of a recommendation: what to use, how sure that is, and what the pilots showed.

import { command, escaped, type ForestRow, forest, note, panel, type Tag, verdict } from '@anyclass/kit';
import { decisionPhrase } from '../experiments/decisionText.js';
import { tableBlock } from '../pages/blocks.js';
import { page } from '../pages/page.js';
import { metricName, type Recommendation } from '../recommendation/recommendation.js';
import { recommendationTable, setupTable } from '../recommendation/recommendationTable.js';

/**
 * Returns a recommendation as one HTML page. `file` is the configuration that was written.
 *
 * @example
 * writeFileSync('recommendations/photos/recommendation.html', recommendationPage('photos', recommendation, 'recommended.jsonc'))
 */
export function recommendationPage(name: string, recommendation: Recommendation, file: string): string {
  const { verdict: text, reasons, label, setup, decision, minutes, spentSeconds } = recommendation;
  const setups = setupTable(recommendation);
  const [, ...rest] = text.split(/(?<=\.)\s+/);
  return page({
    kind: 'recommendations',
    name,
    about: `pilot runs, ${Math.max(1, Math.round(spentSeconds / 60))} of ${minutes} minutes; the test split was not used`,
    head: [
      verdict({
        tags: tagsOf(recommendation),
        headline: setup ? `Use ${label} at ${setup.label}.` : `Use ${label}.`,
        text: escaped(rest.length === 0 ? text : text.replaceAll(/\s+/g, ' ')),
        beside: command(`npx anyclass train ${file}`),
      }),
      `<div class="columns two first">${panel(
        'Distance from the best',
        `points of ${metricName(decision)} ${decisionPhrase(decision)}, last round`,
        differenceChart(recommendation),
      )}${panel('What the pilots showed', '', `<ul class="prose small">${reasons.map((reason) => `<li>${escaped(reason)}</li>`).join('')}</ul>`)}</div>`,
    ],
    sections: [
      {
        name: 'pilots',
        title: 'All pilots',
        parts: [
          ...(setups ? [tableBlock({ name: 'setups', table: setups })] : []),
          tableBlock({ name: 'pilots', table: recommendationTable(recommendation) }),
        ],
      },
    ],
  });
}

function tagsOf({ matters }: Recommendation): Tag[] {
  if (matters === true) return [{ tone: 'found', text: '✓ One loss is best' }];
  return matters === false
    ? [{ tone: 'clear', text: '– The choice hardly matters' }]
    : [{ tone: 'review', text: '≈ Not settled' }];
}

function differenceChart({ rounds }: Recommendation): string {
  const last = rounds.at(-1);
  const rows = (last?.losses ?? []).flatMap(({ candidate, difference, isWithinNoise }): ForestRow[] => {
    if (!difference) return [];
    const { value, low, high, perSeed } = difference;
    return [
      {
        name: candidate.label,
        value,
        low,
        high,
        seeds: perSeed,
        state: isWithinNoise ? 'open' : 'holds',
        isBetter: value > 0,
      },
    ];
  });
  const best = last?.losses.find(({ difference }) => difference === null)?.candidate.label ?? '';
  if (rows.length === 0) return note('Only one loss was left in the last round.');
  const chart = (isNarrow: boolean) => forest(`Difference from ${best}`, [{ title: '', rows }], { isNarrow });
  return `<div class="wide-only">${chart(false)}</div><div class="phone-only">${chart(true)}</div>${note(`0 is ${best}, the best of the last round. Gray: within the noise. Filled: clearly worse. Small ticks are seeds.`)}`;
}
