// What monitoring found, as a page: the evidence and the range of the rate over time.

import {
  command,
  countText,
  escaped,
  facts,
  type Line,
  lineChart,
  panel,
  type Tag,
  verdict,
} from '@anyclass/kit';
import { chartBlock } from '../pages/blocks.js';
import { page } from '../pages/page.js';
import {
  buysText,
  differenceText,
  monitoringRows,
  monitoringVerdict,
  nameOf,
  shown,
} from './monitoringText.js';
import type { MonitoredLogs } from './monitorLogs.js';

export interface MonitoringPageOptions {
  readonly title: string;
  readonly confidence: number;
  /** The command that refits the decision, for a promise that is broken. */
  readonly refit: string;
}

/**
 * Returns the result as one HTML page.
 *
 * @example
 * writeFileSync('field.html', monitoringPage(result, { title: 'predictions.jsonl', confidence: 0.95, refit: 'anyclass refit …' }))
 */
export function monitoringPage(
  result: MonitoredLogs,
  { title, confidence, refit }: MonitoringPageOptions,
): string {
  const { earlier, shadow } = result;
  return page({
    kind: 'field',
    name: title,
    about: nameOf(result),
    head: [
      verdict({ tags: [tagOf(result)], headline: monitoringVerdict(result, confidence), text: '' }),
      `<div class="columns two"><div>${chartBlock(evidenceChart(result))}</div><div>${chartBlock(rateChart(result, confidence))}</div></div>`,
    ],
    sections: [
      {
        name: 'basis',
        title: 'What it rests on',
        parts: [
          `<div class="columns two">${panel('Counts', '', facts(monitoringRows(result).map(([name, text]) => [name, escaped(text)])))}${panel(
            'More labels would buy',
            '',
            `<ul class="small">${buysText(result)
              .map((line) => `<li>${escaped(line)}</li>`)
              .join('')}</ul>`,
          )}</div>`,
          ...(result.verdict === 'broken'
            ? [`<p class="small">Fit the decision to this site:</p>${command(refit)}`]
            : []),
        ],
      },
      ...(shadow
        ? [
            {
              name: 'shadow',
              title: 'The model in the shadow',
              parts: [
                `<ul class="small">${differenceText(shadow, confidence)
                  .map((line) => `<li>${escaped(line)}</li>`)
                  .join('')}</ul>`,
              ],
            },
          ]
        : []),
      ...(earlier.length > 0
        ? [
            {
              name: 'earlier',
              title: 'Before it',
              parts: [
                facts(
                  earlier.map((stream) => [nameOf(stream), escaped(monitoringVerdict(stream, confidence))]),
                ),
              ],
            },
          ]
        : []),
    ],
  });
}

function tagOf({ verdict: found }: MonitoredLogs): Tag {
  if (found === 'broken') return { tone: 'false-alarm', text: '! Broken' };
  return found === 'holds'
    ? { tone: 'found', text: '✓ Holds' }
    : { tone: 'review', text: '≈ Not decided yet' };
}

/** The logarithms between which evidence is drawn: beyond, it is beyond doubt. */
const [leastLog, mostLog] = [-3, 6];

function evidenceChart({ path, threshold, alert, images }: MonitoredLogs) {
  const log = (capital: number) => Math.max(leastLog, Math.min(mostLog, Math.log10(capital)));
  const line = (name: string, of: 'capital' | 'certificate'): Line => ({
    name,
    points: [{ x: 0, y: 0 }, ...path.map((point) => ({ x: point.line, y: log(point[of]) }))],
  });
  const last = path.at(-1)?.line ?? images;
  const svg = lineChart(
    [
      line('against', 'capital'),
      line('for', 'certificate'),
      {
        name: countText(threshold),
        isReference: true,
        points: [0, last].map((x) => ({ x, y: Math.log10(threshold) })),
      },
    ],
    {
      label: 'Evidence against and for the promise over time',
      x: 'line of the log',
      y: 'capital',
      yRange: [leastLog, mostLog],
      yTicks: [-3, 0, 3, 6].map((at) => ({ at, text: at < 0 ? `${10 ** at}` : countText(10 ** at) })),
      xIsWhole: true,
      height: 240,
      ...(alert && { mark: { at: alert.line, text: 'alert' } }),
    },
  );
  return {
    name: 'evidence',
    title: 'Evidence over time',
    svg,
    note: `The capital of a bet against the promise, and of one for it. Each starts at 1, and reaches ${countText(threshold)} by chance with a probability of at most 1 in ${countText(threshold)}, at any time.`,
  };
}

function rateChart({ path, falseAlarms, rate }: MonitoredLogs, confidence: number) {
  const most = Math.min(1, Math.max(4 * falseAlarms, 1.5 * rate.low, 0.02));
  const clipped = (share: number) => 100 * Math.min(most, share);
  const last = path.at(-1)?.line ?? 1;
  const bound = (name: string, of: 'low' | 'high'): Line => ({
    name,
    points: path.map((point) => ({ x: point.line, y: clipped(point[of]) })),
  });
  const svg = lineChart(
    [
      bound('at most', 'high'),
      bound('at least', 'low'),
      {
        name: `${shown(falseAlarms)} promised`,
        isReference: true,
        points: [0, last].map((x) => ({ x, y: 100 * falseAlarms })),
      },
    ],
    {
      label: 'Range of the false-alarm rate over time',
      x: 'line of the log',
      y: '% of negatives',
      yRange: [0, 100 * most],
      xIsWhole: true,
      height: 240,
    },
  );
  return {
    name: 'rate',
    title: 'Range of the false-alarm rate',
    svg,
    note: `Both ends hold at all times, each with ${shown(confidence)} confidence.`,
  };
}
