// What monitoring found, as a page: the evidence and the range of the rate over time.

import { type MoreLabels, percentNeeded } from '@anyclass/core';
import {
  budgetBar,
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
  buysOf,
  differenceText,
  monitoringAnswer,
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
  const { answer, because } = monitoringAnswer(result, confidence);
  const { negatives, positives } = buysOf(result);
  return page({
    kind: 'field',
    name: title,
    about: nameOf(result),
    head: [
      verdict({
        tags: [tagOf(result)],
        headline: `${answer}.`,
        text: escaped(`${because[0]!.toUpperCase()}${because.slice(1)}.`),
        ...besideOf(result),
      }),
      `<div class="columns two first"><div>${chartBlock(evidenceChart(result))}</div><div>${chartBlock(rateChart(result, confidence))}</div></div>`,
    ],
    sections: [
      {
        name: 'basis',
        title: 'What it rests on',
        parts: [
          `<div class="columns two">${panel('Counts', '', facts(monitoringRows(result).map(([name, text]) => [name, escaped(text)])))}${panel(
            'What more labels would buy',
            'the smallest rate to promise, and how well today’s would be known',
            `${buysTable('more negatives', negatives)}${buysTable('more positives', positives)}`,
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

/** The rate that was seen beside the one that is promised. */
function besideOf({ estimate, falseAlarms, rate }: MonitoredLogs) {
  if (estimate === null || rate.low > rate.high) return {};
  const bar = budgetBar({ budget: falseAlarms, seen: estimate, interval: rate });
  return {
    beside: `<p class="tiny faint">False alarms, estimated: ${shown(estimate)} of negatives</p>${bar}`,
  };
}

function buysTable(kind: string, buys: readonly MoreLabels[]): string {
  const rows = buys.map(
    ({ more, smallestRate, interval }) =>
      `<tr><th scope="row" class="num">${countText(more)}</th><td>at most ${percentNeeded(smallestRate)}</td><td>${shown(interval.low)} to ${shown(interval.high)}</td></tr>`,
  );
  const today = shown(buys[0]?.rate ?? 0);
  const heads = [
    kind,
    'could promise',
    `${today} ${kind.endsWith('positives') ? 'without an alarm' : 'alarm'}, known to`,
  ];
  const columns = heads.map((head) => `<th scope="col">${head}</th>`).join('');
  return `<div class="scroll" tabindex="0" role="region" aria-label="${kind}"><table><thead><tr>${columns}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function tagOf({ verdict: found }: MonitoredLogs): Tag {
  if (found === 'broken') return { tone: 'false-alarm', text: '! Broken' };
  return found === 'holds'
    ? { tone: 'found', text: '✓ Holds' }
    : { tone: 'review', text: '≈ Too early to tell' };
}

/** The logarithms between which evidence is drawn at most: beyond, it is beyond doubt. */
const [leastEver, mostEver] = [-3, 6];

function evidenceChart({ path, threshold, alert, images }: MonitoredLogs) {
  const logs = path.flatMap(({ capital, certificate }) => [capital, certificate].map(Math.log10));
  const leastLog = Math.max(leastEver, Math.floor(Math.min(-1, ...logs)));
  const mostLog = Math.min(mostEver, Math.ceil(Math.max(Math.log10(threshold) + 0.2, ...logs)));
  const decades = Array.from({ length: mostLog - leastLog + 1 }, (_, i) => leastLog + i);
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
        name: `${countText(threshold)} settles it`,
        isReference: true,
        points: [0, last].map((x) => ({ x, y: Math.log10(threshold) })),
      },
    ],
    {
      label: 'Evidence against and for the promise over time',
      x: 'line of the log',
      y: 'evidence',
      yRange: [leastLog, mostLog],
      yTicks: decades.map((at) => ({ at, text: at < 0 ? `${10 ** at}` : countText(10 ** at) })),
      xIsWhole: true,
      height: 240,
      ...(alert && { mark: { at: alert.line, text: 'alert' } }),
    },
  );
  return {
    name: 'evidence',
    title: 'Evidence over time',
    svg,
    note: `Evidence is the capital of a bet against the promise, and of one for it, each starting at 1. By chance alone, at most 1 in ${countText(threshold)} ever reaches ${countText(threshold)}.`,
  };
}

function rateChart({ path, falseAlarms, rate }: MonitoredLogs, confidence: number) {
  const most = Math.min(1, Math.max(2 * falseAlarms, 1.5 * rate.low, 1.2 * rate.high, 0.02));
  // The first images leave everything open: the line starts where it says something.
  const clipped = (share: number) => (share > most ? null : 100 * share);
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
