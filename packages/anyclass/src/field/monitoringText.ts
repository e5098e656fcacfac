// What monitoring found, in words.

import { describeMoreLabels, moreLabels, type ShareDifference } from '@anyclass/core';
import { counted } from '../errors/counted.js';
import { alignedColumns } from '../tables/index.js';
import type { MonitoredLogs, MonitoredStream } from './monitorLogs.js';
import type { ShadowedMonitoring } from './shadowMonitor.js';

/**
 * The verdict in a sentence, with the range of the rate.
 *
 * @example
 * monitoringVerdict(result, 0.95) // 'The promise of at most 5% false alarms is broken: 7.1% to 14.9% of negatives alarm (95% confidence).'
 */
export function monitoringVerdict(stream: MonitoredStream, confidence: number): string {
  const { answer, because } = monitoringAnswer(stream, confidence);
  return `${answer}: ${because}.`;
}

/** The verdict in a few words, and what it rests on. */
export function monitoringAnswer(
  { verdict, falseAlarms, per, promised, rate, auditsToDecide }: MonitoredStream,
  confidence: number,
): { readonly answer: string; readonly because: string } {
  const judged = per === 'group' ? ', judged by one image of each group,' : '';
  const name = `he ${promised === false ? 'limit' : 'promise'} of at most ${shown(falseAlarms)} false alarms${judged}`;
  const promise = `T${name}`;
  const range = `${shown(rate.low)} to ${shown(rate.high)} of negatives alarm (${shown(confidence)} confidence)`;
  if (rate.low > rate.high) {
    const state = verdict === 'undecided' ? 'is undecided' : verdict === 'broken' ? 'is broken' : 'holds';
    return {
      answer: `${promise} ${state}, and the rate changed`,
      because: `it was above ${shown(rate.low)} at one time and below ${shown(rate.high)} at another (${shown(confidence)} confidence each)`,
    };
  }
  if (verdict === 'broken') return { answer: `${promise} is broken`, because: range };
  if (verdict === 'holds') return { answer: `${promise} holds`, because: range };
  const outlook =
    auditsToDecide === null
      ? 'label more of the drawn images'
      : `about ${counted(auditsToDecide, 'more audit')} would settle it at this rate`;
  return { answer: `Too early to tell whether t${name} holds`, because: `${range}; ${outlook}` };
}

/** The verdict, what it rests on, what more labels would buy, and what came before. */
export function monitoringText(result: MonitoredLogs, confidence: number): string {
  const { earlier, shadow } = result;
  const before = earlier.map((stream) => `${nameOf(stream)}: ${monitoringVerdict(stream, confidence)}`);
  return [
    monitoringVerdict(result, confidence),
    alignedColumns(monitoringRows(result), ['left', 'left']),
    ...(shadow ? [differenceText(shadow, confidence).join('\n')] : []),
    buysText(result).join('\n'),
    ...(before.length > 0 ? [`Before it:\n${before.join('\n')}`] : []),
  ].join('\n\n');
}

/** What the verdict rests on, by name. */
export function monitoringRows(result: MonitoredStream): [name: string, text: string][] {
  const { capital, certificate, threshold, alert, change, images, audited, unlabeled } = result;
  const { estimate, alarmShare, freeBound, drift, drawnPositives, missedShare, per, promised } = result;
  const rows: [string, string][] = [
    ['answered by', nameOf(result)],
    ...(per === 'group'
      ? [
          [
            'promised for',
            'whole groups; one image of each is judged here, so more groups than this may get an alarm',
          ] satisfies [string, string],
        ]
      : []),
    ...(promised === false
      ? [
          ['promised', 'nothing: the decision kept its limit on the data of its fit only'] satisfies [
            string,
            string,
          ],
        ]
      : []),
    ['images', count(images)],
    ['labeled', `${count(audited)}; ${count(unlabeled)} alarms and drawn images still to label`],
    [
      'false alarms',
      estimate === null ? 'no labeled negatives yet' : `${shown(estimate)} of negatives, estimated`,
    ],
    [
      'without an alarm',
      missedShare === null
        ? 'no drawn positives yet'
        : `${shown(missedShare)} of ${count(drawnPositives)} drawn positives, cleared or to review`,
    ],
    ['alarms', `${shown(alarmShare)} of all images`],
    [
      'against the promise',
      `${bet(capital)}; ${count(threshold)} decides${alert ? `, reached at line ${count(alert.line)} (${alert.id})` : ''}`,
    ],
    ['for the promise', `${bet(certificate)}; ${count(threshold)} decides`],
  ];
  if (freeBound !== null) rows.push(['without labels', `at most ${shown(freeBound)} of negatives alarm`]);
  if (change.alert) {
    rows.push([
      'a late change',
      `at line ${count(change.alert.line)} (${change.alert.id}); such an alert is false once in ${count(change.threshold)} audits`,
    ]);
  }
  if (drift) {
    rows.push([
      'presence scores',
      drift.hintedAt === null
        ? 'look like those of validation'
        : `drift from those of validation since image ${count(drift.hintedAt + 1)}; a hint only, since a change of prevalence moves them too`,
    ]);
  }
  return rows;
}

/** What more labeled negatives and positives would buy. */
function buysText(stream: MonitoredStream): string[] {
  const { negatives, positives } = buysOf(stream);
  return [...describeMoreLabels(negatives, 'negatives'), ...describeMoreLabels(positives, 'positives')];
}

export function buysOf({
  drawnNegatives,
  drawnPositives,
  estimate,
  missedShare,
  falseAlarms,
}: MonitoredStream) {
  return {
    negatives: moreLabels(drawnNegatives, estimate ?? falseAlarms),
    positives: moreLabels(drawnPositives, missedShare ?? falseAlarms),
  };
}

/** How a model in the shadow differs from the one that answered. */
export function differenceText(
  { model, version, images, audited, difference, rate }: ShadowedMonitoring,
  confidence: number,
): string[] {
  const name = [model, version && `version ${version}`].filter(Boolean).join(', ');
  const of = (about: string, words: readonly [more: string, fewer: string], each: ShareDifference) => {
    if (each.value === null) return [`${about}: nothing labeled yet`];
    const verdict = each.high < 0 ? words[1] : each.low > 0 ? words[0] : 'no difference is certain';
    return [
      `${about}: ${shown(each.first ?? 0)} before, ${shown(each.second ?? 0)} in the shadow; difference ${signed(each.value)} (${signed(each.low)} to ${signed(each.high)} points): ${verdict}`,
    ];
  };
  return [
    `In the shadow${name === '' ? '' : `: ${name}`}; on ${count(audited)} of ${count(images)} drawn images, ${shown(rate.low)} to ${shown(rate.high)} of its negatives alarm (${shown(confidence)} confidence each, at any time)`,
    ...of('false alarms', ['more in the shadow', 'fewer in the shadow'], difference.falseAlarms),
    ...of('positives that alarm', ['more in the shadow', 'fewer in the shadow'], difference.found),
  ];
}

export function nameOf({ model, version, decision }: MonitoredStream): string {
  const parts = [model, version && `version ${version}`, decision && `decision ${decision}`];
  const named = parts.filter((part) => part !== undefined && part !== '');
  return named.length === 0 ? 'a model that the log does not name' : named.join(', ');
}

/** A capital: how much evidence there is, which counts at the threshold. */
function bet(capital: number): string {
  return capital >= 1000 ? capital.toExponential(1) : capital.toPrecision(3);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function signed(share: number): string {
  const points = Number((100 * share).toFixed(1));
  return `${points > 0 ? '+' : ''}${points}`;
}

export function shown(share: number): string {
  return `${Number((100 * share).toFixed(1))}%`;
}
