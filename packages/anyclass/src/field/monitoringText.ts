// What monitoring found, in words.

import {
  describeMoreLabels,
  inPercent,
  moreLabels,
  type PromiseJudgment,
  type RecentRate,
  type ShareDifference,
} from '@anyclass/core';
import { counted } from '../errors/counted.js';
import { alignedColumns } from '../tables/index.js';
import type { MissedStream, MonitoredLogs, MonitoredStream } from './monitorLogs.js';
import type { ShadowedMonitoring } from './shadowMonitor.js';

/**
 * The verdict on each promise that was judged in a sentence, with the range of the rate; that on false alarms first.
 *
 * @example
 * monitoringVerdicts(result, 0.95) // ['The promise of at most 5% false alarms is broken: 7.1% to 14.9% of negatives alarm (95% confidence).']
 */
export function monitoringVerdicts(stream: MonitoredStream, confidence: number): string[] {
  const { missed } = stream;
  const answers = [monitoringAnswer(stream, confidence)];
  return [...answers, ...(missed ? [missedAnswer(missed, stream, confidence)] : [])].map(sentenceOf);
}

export function sentenceOf({ answer, because }: MonitoringAnswer): string {
  return `${answer}: ${because}.`;
}

/** A verdict in a few words, and what it rests on. */
export interface MonitoringAnswer {
  readonly answer: string;
  readonly because: string;
}

export function monitoringAnswer(stream: MonitoredStream, confidence: number): MonitoringAnswer {
  const { falseAlarms, per, promised, images } = stream;
  const limit = `at most ${inPercent(falseAlarms)} false alarms${judgedBy(per)}`;
  return answerOf(stream, {
    share: falseAlarms,
    limit,
    promised,
    of: 'of negatives alarm',
    confidence,
    images,
  });
}

/** The same for the limit on positives that are cleared. */
export function missedAnswer(
  missed: MissedStream,
  { per, images }: Pick<MonitoredStream, 'per' | 'images'>,
  confidence: number,
): MonitoringAnswer {
  const limit = `at most ${inPercent(missed.limit)} cleared positives${judgedBy(per)}`;
  return answerOf(missed, {
    share: missed.limit,
    limit,
    promised: missed.promised,
    of: 'of positives are cleared',
    confidence,
    images,
  });
}

function judgedBy(per: MonitoredStream['per']): string {
  return per === 'group' ? ', judged by one image of each group,' : '';
}

/** The recent lines in which the rate is clearly above the limit, though the verdict on all lines is not that it is broken. */
function recentRise({ verdict, recent }: PromiseJudgment, limit: number): RecentRate | undefined {
  if (verdict === 'broken') return undefined;
  const above = recent.filter(({ rate }) => rate.low > limit);
  return above.sort((a, b) => b.rate.low - a.rate.low)[0];
}

/** A line from which on to judge alone, where the rate seems to have risen: the recent lines above the limit, or those that a late alert is among. */
export function risenSince(judged: PromiseJudgment, limit: number): number | undefined {
  const { verdict, recent, change } = judged;
  const { alert } = change;
  if (verdict === 'broken') return undefined;
  const holding = alert ? recent.find(({ line }) => line <= alert.line) : undefined;
  return (recentRise(judged, limit) ?? holding)?.line;
}

function answerOf(
  judged: PromiseJudgment,
  words: {
    share: number;
    limit: string;
    promised: false | undefined;
    of: string;
    confidence: number;
    images: number;
  },
): MonitoringAnswer {
  const { verdict, rate, auditsToDecide, change } = judged;
  const confidence = `${inPercent(words.confidence)} confidence`;
  const name = `he ${words.promised === false ? 'limit' : 'promise'} of ${words.limit}`;
  const promise = `T${name}`;
  const range = `${inPercent(rate.low)} to ${inPercent(rate.high)} ${words.of} (${confidence})`;
  // All lines together may still look good.
  const noticed =
    change.alert && verdict !== 'broken'
      ? `; it seems to have risen late, noticed at line ${count(change.alert.line)}`
      : '';
  const rise = recentRise(judged, words.share);
  const late = rise ? `${noticed}; ${sinceText(rise)}, a hint that it does not hold now` : noticed;
  if (rate.low > rate.high) {
    const state = verdict === 'undecided' ? 'is undecided' : verdict === 'broken' ? 'is broken' : 'holds';
    return {
      answer: `${promise} ${state}, and the rate changed`,
      because: `it was above ${inPercent(rate.low)} at one time and below ${inPercent(rate.high)} at another (${confidence} each)${late}`,
    };
  }
  if (verdict === 'broken') return { answer: `${promise} is broken`, because: range };
  if (verdict === 'holds') return { answer: `${promise} holds`, because: `${range}${late}` };
  const outlook =
    auditsToDecide !== null
      ? `about ${counted(auditsToDecide, 'more audit')} would settle it at this rate`
      : words.images === 0
        ? 'no line has an audit, so none counts; serve with audits to draw images to label'
        : 'label more of the drawn images';
  return { answer: `Too early to tell whether t${name} holds`, because: `${range}${late}; ${outlook}` };
}

function sinceText({ line, rate }: RecentRate): string {
  return `since line ${count(line)} alone, it is ${inPercent(rate.low)} to ${inPercent(rate.high)}`;
}

/** The verdict, what it rests on, what more labels would buy, and what came before. */
export function monitoringText(result: MonitoredLogs, confidence: number): string {
  const { earlier, shadow } = result;
  const before = earlier.map(
    (stream) => `${nameOf(stream)}: ${monitoringVerdicts(stream, confidence).join(' ')}`,
  );
  return [
    monitoringVerdicts(result, confidence).join('\n'),
    alignedColumns(monitoringRows(result), ['left', 'left']),
    ...(shadow ? [differenceText(shadow, confidence).join('\n')] : []),
    buysText(result).join('\n'),
    ...(before.length > 0 ? [`Before it:\n${before.join('\n')}`] : []),
  ].join('\n\n');
}

/** What the verdict rests on, by name. */
export function monitoringRows(result: MonitoredStream): [name: string, text: string][] {
  const { certificate, threshold, change, images, audited, unlabeled } = result;
  const { estimate, alarmShare, freeBound, drift, drawnPositives, missedShare, per, promised, missed } =
    result;
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
    ['images', result.hasGroups ? `${count(images)}, one of each group` : count(images)],
    ['labeled', `${count(audited)}; ${count(unlabeled)} alarms and drawn images still to label`],
    [
      'false alarms',
      estimate === null ? 'no labeled negatives yet' : `${inPercent(estimate)} of negatives, estimated`,
    ],
    [
      'without an alarm',
      missedShare === null
        ? 'no drawn positives yet'
        : `${inPercent(missedShare)} of ${count(drawnPositives)} drawn positives, cleared or to review`,
    ],
    ['alarms', `${inPercent(alarmShare)} of all images`],
    ['against the promise', betAgainst(result)],
    ['for the promise', `${bet(certificate)}; ${count(threshold)} settles it`],
    ...recentRows(result, 'of negatives alarm', 'audits'),
    ...(missed ? missedRows(missed, drawnPositives) : []),
    ...(result.missedUnjudged
      ? [
          [
            'cleared positives',
            'not judged: promised for whole groups, and a group is cleared only if all its images are',
          ] satisfies [string, string],
        ]
      : []),
  ];
  if (freeBound !== null) rows.push(['without labels', `at most ${inPercent(freeBound)} of negatives alarm`]);
  if (change.alert) rows.push(['a late change', lateChange(change)]);
  if (missed?.change.alert) rows.push(['a late change, positives', lateChange(missed.change)]);
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

/** What the verdict on cleared positives rests on; only drawn images count, since people look at nothing else that is cleared. */
function missedRows(missed: MissedStream, drawnPositives: number): [name: string, text: string][] {
  const { cleared, certificate, threshold, unlabeled, promised } = missed;
  const still = unlabeled === 0 ? '' : `; ${counted(unlabeled, 'drawn image')} still to label`;
  return [
    ['cleared', `${count(cleared)} of ${count(drawnPositives)} drawn positives${still}`],
    ...(promised === false
      ? [
          [
            'promised of positives',
            'nothing: the decision kept this limit on the data of its fit only',
          ] satisfies [string, string],
        ]
      : []),
    ['against that promise', betAgainst(missed)],
    ['for that promise', `${bet(certificate)}; ${count(threshold)} settles it`],
    ...recentRows(missed, 'of positives are cleared', 'drawn'),
  ];
}

/** What the latest lines say alone: the verdict is about all lines, and a long good past outweighs them. */
function recentRows({ recent }: PromiseJudgment, of: string, events: string): [name: string, text: string][] {
  return recent.map(({ line, events: number, rate }) => [
    `last ${count(number)} ${events}`,
    `${inPercent(rate.low)} to ${inPercent(rate.high)} ${of} since line ${count(line)}`,
  ]);
}

function betAgainst({ capital, threshold, alert }: PromiseJudgment): string {
  return `${bet(capital)}; ${count(threshold)} settles it${alert ? `, reached at line ${count(alert.line)} (${alert.id})` : ''}`;
}

function lateChange({ alert, threshold }: PromiseJudgment['change']): string {
  const place = alert ? `at line ${count(alert.line)} (${alert.id})` : '';
  return `${place}; such an alert is false once in ${count(threshold)} audits`;
}

/** What more labeled negatives and positives would buy. */
function buysText(stream: MonitoredStream): string[] {
  const { negatives, positives } = buysOf(stream);
  const kinds = labeledKinds(stream);
  return [
    ...describeMoreLabels(negatives, kinds.negatives),
    ...describeMoreLabels(positives, kinds.positives),
  ];
}

/** What is counted when more is labeled: of a group, one image counts, so more images of known groups buy nothing. */
export function labeledKinds({ per, hasGroups }: MonitoredStream) {
  return per === 'group' || hasGroups
    ? ({ negatives: 'groups with a negative', positives: 'groups with a positive' } as const)
    : ({ negatives: 'negatives', positives: 'positives' } as const);
}

export function buysOf({
  drawnNegatives,
  drawnPositives,
  estimate,
  missedShare,
  falseAlarms,
  missed,
}: MonitoredStream) {
  const missedRate = missed ? (missed.estimate ?? missed.limit) : (missedShare ?? falseAlarms);

  return {
    negatives: moreLabels(drawnNegatives, estimate ?? falseAlarms),
    positives: moreLabels(drawnPositives, missedRate),
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
      `${about}: ${inPercent(each.first ?? 0)} before, ${inPercent(each.second ?? 0)} in the shadow; difference ${signed(each.value)} (${signed(each.low)} to ${signed(each.high)} points): ${verdict}`,
    ];
  };
  return [
    `In the shadow${name === '' ? '' : `: ${name}`}; on ${count(audited)} of ${count(images)} drawn images, ${inPercent(rate.low)} to ${inPercent(rate.high)} of its negatives alarm (${inPercent(confidence)} confidence each, at any time)`,
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
  // Its chart ends there, too.
  if (capital > 1_000_000) return 'more than 1,000,000';
  return capital >= 1000 ? count(Math.round(capital)) : capital.toPrecision(3);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function signed(share: number): string {
  const points = Number((100 * share).toFixed(1));
  return `${points > 0 ? '+' : ''}${points}`;
}
