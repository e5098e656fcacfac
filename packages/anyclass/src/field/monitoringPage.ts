// What monitoring found, as a page: the evidence and the range of the rate over time.

import { inPercent, type MoreLabels, type PromiseJudgment, percentNeeded } from '@anyclass/core';
import { budgetBar, command, countText, escaped, facts, panel, type Tag, verdict } from '@anyclass/kit';
import { chartBlock } from '../pages/blocks.js';
import { page } from '../pages/page.js';
import { type ChartedPromise, evidenceChart, rateChart } from './monitoringCharts.js';
import {
  buysOf,
  differenceText,
  labeledKinds,
  type MonitoringAnswer,
  missedAnswer,
  monitoringAnswer,
  monitoringRows,
  monitoringVerdicts,
  nameOf,
  sentenceOf,
} from './monitoringText.js';
import type { MissedStream, MonitoredLogs } from './monitorLogs.js';

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
  const { headline, text } = headOf(result, confidence);
  const { negatives, positives } = buysOf(result);
  const kinds = labeledKinds(result);
  return page({
    kind: 'field',
    name: title,
    about: nameOf(result),
    head: [
      verdict({
        tags: tagsOf(result),
        headline,
        text: escaped(text),
        ...besideOf(result, refit),
      }),
      charts(result, falseAlarmCharts(result, confidence)),
    ],
    sections: [
      ...(result.missed
        ? [
            {
              name: 'missed',
              title: 'Positives that are cleared',
              parts: [
                `<p>${escaped(sentenceOf(missedAnswer(result.missed, result, confidence)))}</p>`,
                charts(result.missed, missedCharts(result.missed, confidence)),
              ],
            },
          ]
        : []),
      {
        name: 'basis',
        title: 'What it rests on',
        parts: [
          `<div class="columns two">${panel('Counts', '', facts(monitoringRows(result).map(([name, text]) => [name, escaped(text)])))}${panel(
            'What more labels would buy',
            'the smallest rate to promise, and how well today’s would be known',
            `${buysTable(`more ${kinds.negatives}`, 'alarm', negatives)}${buysTable(`more ${kinds.positives}`, result.missed ? 'cleared' : 'without an alarm', positives)}`,
          )}</div>`,
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
                  earlier.map((stream) => [
                    nameOf(stream),
                    escaped(monitoringVerdicts(stream, confidence).join(' ')),
                  ]),
                ),
              ],
            },
          ]
        : []),
    ],
  });
}

/** The rate that was seen beside the one that is promised, and what to do about a broken promise. */
function besideOf({ estimate, falseAlarms, rate, verdict: found, missed }: MonitoredLogs, refit: string) {
  const seen =
    estimate === null || rate.low > rate.high
      ? ''
      : `<p class="tiny faint">False alarms, estimated: ${inPercent(estimate)} of negatives</p>${budgetBar({ budget: falseAlarms, seen: estimate, interval: rate })}`;
  const next =
    found === 'broken' || missed?.verdict === 'broken'
      ? `<p class="small">Fit the decision to this site:</p>${command(refit)}`
      : '';
  return seen === '' && next === '' ? {} : { beside: `${seen}${next}` };
}

function buysTable(kind: string, rate: string, buys: readonly MoreLabels[]): string {
  const rows = buys.map(
    ({ more, smallestRate, interval }) =>
      `<tr><th scope="row" class="num">${countText(more)}</th><td>at most ${percentNeeded(smallestRate)}</td><td>${inPercent(interval.low)} to ${inPercent(interval.high)}</td></tr>`,
  );
  const today = inPercent(buys[0]?.rate ?? 0);
  const heads = [kind, 'could promise', `${today} ${rate}, known to`];
  const columns = heads.map((head) => `<th scope="col">${head}</th>`).join('');
  return `<div class="scroll block" tabindex="0" role="region" aria-label="${kind}"><table><thead><tr>${columns}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** A broken promise comes first, and the one on false alarms where both are alike. */
function headOf(result: MonitoredLogs, confidence: number): { headline: string; text: string } {
  const first = monitoringAnswer(result, confidence);
  const { missed } = result;
  const answers = missed ? [first, missedAnswer(missed, result, confidence)] : [first];
  if (missed?.verdict === 'broken' && result.verdict !== 'broken') answers.reverse();
  const [{ answer, because }, ...others] = answers as [MonitoringAnswer, ...MonitoringAnswer[]];
  const basis = `${because[0]!.toUpperCase()}${because.slice(1)}.`;
  return { headline: `${answer}.`, text: [basis, ...others.map(sentenceOf)].join(' ') };
}

function tagsOf({ verdict: found, missed }: MonitoredLogs): Tag[] {
  if (!missed) return [tagOf(found, '')];
  return [tagOf(found, 'False alarms: '), tagOf(missed.verdict, 'Cleared positives: ')];
}

function tagOf(found: MonitoredLogs['verdict'], about: string): Tag {
  const said = (text: string) => (about === '' ? text : `${about}${text.toLowerCase()}`);
  if (found === 'broken') return { tone: 'false-alarm', text: `! ${said('Broken')}` };
  return found === 'holds'
    ? { tone: 'found', text: `✓ ${said('Holds')}` }
    : { tone: 'review', text: `≈ ${said('Too early to tell')}` };
}

function charts(judged: PromiseJudgment, about: ChartedPromise): string {
  return `<div class="columns two first"><div>${chartBlock(evidenceChart(judged, about))}</div><div>${chartBlock(rateChart(judged, about))}</div></div>`;
}

function falseAlarmCharts({ falseAlarms, missed }: MonitoredLogs, confidence: number): ChartedPromise {
  return {
    name: '',
    evidence: missed ? 'Evidence on false alarms over time' : 'Evidence over time',
    rate: 'the false-alarm rate',
    unit: '% of negatives',
    limit: falseAlarms,
    confidence,
  };
}

function missedCharts({ limit }: MissedStream, confidence: number): ChartedPromise {
  return {
    name: 'missed-',
    evidence: 'Evidence on cleared positives over time',
    rate: 'the share that is cleared',
    unit: '% of positives',
    limit,
    confidence,
  };
}
