// What monitoring found, in words.

import { counted } from '../errors/counted.js';
import { alignedColumns } from '../tables/index.js';
import type { MonitoredLogs, MonitoredStream } from './monitorLogs.js';

/**
 * The verdict in a sentence, with the range of the rate.
 *
 * @example
 * monitoringVerdict(result, 0.95) // 'The promise of at most 5% false alarms is broken: 7.1% to 14.9% of negatives alarm (95% confidence).'
 */
export function monitoringVerdict(
  { verdict, falseAlarms, rate, auditsToDecide }: MonitoredStream,
  confidence: number,
): string {
  const promise = `The promise of at most ${shown(falseAlarms)} false alarms`;
  const range = `${shown(rate.low)} to ${shown(rate.high)} of negatives alarm (${shown(confidence)} confidence)`;
  if (rate.low > rate.high) {
    const state = verdict === 'undecided' ? 'is undecided' : verdict === 'broken' ? 'is broken' : 'holds';
    return `${promise} ${state}, and the rate changed: it was above ${shown(rate.low)} at one time and below ${shown(rate.high)} at another (${shown(confidence)} confidence each).`;
  }
  if (verdict === 'broken') return `${promise} is broken: ${range}.`;
  if (verdict === 'holds') return `${promise} holds: ${range}.`;
  const outlook =
    auditsToDecide === null
      ? 'label more of the drawn images'
      : `about ${counted(auditsToDecide, 'more audit')} would decide it if things go on like this`;
  return `${promise} is not decided yet: ${range}; ${outlook}.`;
}

/** The verdict, what it rests on, and what came before. */
export function monitoringText(result: MonitoredLogs, confidence: number): string {
  const { capital, certificate, threshold, alert, change, images, audited, unlabeled } = result;
  const { estimate, alarmShare, freeBound, earlier } = result;
  const count = (value: number) => value.toLocaleString('en-US');
  const rows: [string, string][] = [
    ['answered by', nameOf(result)],
    ['images', count(images)],
    ['labeled', `${count(audited)}; ${count(unlabeled)} alarms and drawn images have no label yet`],
    [
      'false alarms',
      estimate === null ? 'no labeled negatives yet' : `${shown(estimate)} of negatives, estimated`,
    ],
    ['alarms', `${shown(alarmShare)} of all images`],
    [
      'against the promise',
      `${bet(capital)} of ${count(threshold)}${alert ? `, reached at line ${count(alert.line)} (${alert.id})` : ''}`,
    ],
    ['for the promise', `${bet(certificate)} of ${count(threshold)}`],
  ];
  if (freeBound !== null) rows.push(['without labels', `at most ${shown(freeBound)} of negatives alarm`]);
  if (change.alert) {
    rows.push([
      'a late change',
      `at line ${count(change.alert.line)} (${change.alert.id}); such an alert is false once in ${count(change.threshold)} audits`,
    ]);
  }
  const before = earlier.map((stream) => `${nameOf(stream)}: ${monitoringVerdict(stream, confidence)}`);
  return [
    monitoringVerdict(result, confidence),
    alignedColumns(rows, ['left', 'left']),
    ...(before.length > 0 ? [`Before it:\n${before.join('\n')}`] : []),
  ].join('\n\n');
}

function nameOf({ model, version, decision }: MonitoredStream): string {
  const parts = [model, version && `version ${version}`, decision && `decision ${decision}`];
  const named = parts.filter((part) => part !== undefined && part !== '');
  return named.length === 0 ? 'a model that the log does not name' : named.join(', ');
}

/** A capital: how much evidence there is, which counts at the threshold. */
function bet(capital: number): string {
  return capital >= 1000 ? capital.toExponential(1) : capital.toPrecision(3);
}

function shown(share: number): string {
  return `${Number((100 * share).toFixed(1))}%`;
}
