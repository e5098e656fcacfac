// The second answer: what is promised, what it rests on, and what was seen.

import {
  falseAlarmUpperBound,
  type GivenGuarantee,
  type Guarantee,
  type NoGuarantee,
  type PromiseUnit,
} from '@anyclass/core';
import { budgetBar, countText, escaped, facts, panel, percentText, shortPercent } from '@anyclass/kit';
import { limitedMetric, type PromisedMetric } from '../../evaluation/contradictions.js';
import type { DecidedMetrics } from '../../events/judgment.js';
import type { DecisionInUse, JudgedMaterial } from './material.js';
import { workPanel } from './work.js';

/** Images or rows a day for which false alarms are stated. */
const perDay = 10_000;

/** Returns the promise in a sentence with its facts, and the alarms per 1,000 images. */
export function promisePanel(material: JudgedMaterial, inUse: DecisionInUse): string {
  const { judged } = material;
  const { decided } = judged;
  const { guarantee, triage } = decided?.report ?? {};
  const remark =
    guarantee?.holds || triage?.guarantee.holds
      ? `holds for data like ${decided?.fittedOn ?? 'validation'}`
      : 'no bound on new data';
  return panel(
    'Promised',
    remark,
    [
      `<p class="statement">${escaped(statement(decided))}</p>`,
      `<div class="second">${facts(promiseFacts(material, inUse))}</div>`,
      seenBar(guarantee, decided, inUse),
      `<p class="small daily">${escaped(dailyText(guarantee, inUse, material.instance))}</p>`,
      `<div class="second">${workPanel(inUse, material)}</div>`,
    ].join(''),
  );
}

function statement(decided: DecidedMetrics | undefined): string {
  const guarantee = decided?.report?.guarantee;
  if (guarantee?.holds) {
    const share = shortPercent(guarantee.rate);
    const first =
      guarantee.unit === 'group'
        ? `At most ${share} of groups without positives get an alarm`
        : guarantee.groups === null
          ? `At most ${share} of negatives raise an alarm`
          : `A random negative of a random group raises an alarm at most ${share} of the time`;
    const second = decided?.report?.triage?.guarantee;
    if (!second?.holds) return `${first}.`;
    const missed = shortPercent(second.rate);
    if (second.unit !== 'group' && second.groups !== null)
      return `${first}, and a random positive is cleared at most ${missed} of the time.`;
    const whose = second.unit === 'group' ? 'groups with positives' : 'positives';
    return `${first}; at most ${missed} of ${whose} are cleared.`;
  }
  const second = decided?.report?.triage?.guarantee;
  if (second?.holds) {
    const whose = second.unit === 'group' ? 'groups with positives' : 'positives';
    const weighed = second.unit !== 'group' && second.groups !== null ? ', counting each group equally' : '';
    return `At most ${shortPercent(second.rate)} of ${whose} are cleared${weighed}. Nothing is promised about false alarms: ${tooFew(guarantee, decided)}.`;
  }
  if (guarantee?.reason === 'adaptive choice' && decided && 'falseAlarms' in decided.budget) {
    const whose =
      decided.unit === 'group'
        ? 'groups without positives get an alarm'
        : `negatives raise an alarm${guarantee.ofGroups ? ', counting each group equally' : ''}`;
    return `Approximate: about ${shortPercent(decided.budget.falseAlarms)} of ${whose}.`;
  }
  if (!decided) return 'Nothing is promised: there is no decision to judge.';
  if (!guarantee) return 'Nothing is promised.';
  const reasons: Partial<Record<string, string>> = {
    'not requested': 'Nothing is promised: the budget was asked for without a confidence.',
    'rule has no bound': 'Nothing is promised: this rule has no bound on false alarms.',
    'too few negatives': `Nothing is promised: ${tooFew(guarantee, decided)}.`,
    'shared rows': 'Nothing is promised: some of these rows were known to the fit.',
  };
  return reasons[guarantee.reason] ?? `Nothing is promised: ${guarantee.reason}.`;
}

function tooFew(guarantee: NoGuarantee | undefined, decided: DecidedMetrics | undefined): string {
  const single = guarantee?.ofGroups
    ? `groups with ${decided?.unit === 'group' ? 'negatives only' : 'a negative'}`
    : 'negatives';
  return `${decided?.fittedOn ?? 'validation'} has too few ${single}`;
}

/** The parts of a promise, or the way to one. */
function promiseFacts({ judged, instance }: JudgedMaterial, inUse: DecisionInUse): [string, string][] {
  const { decided } = judged;
  const report = decided?.report;
  if (!decided || !report) return seenFact(judged.split, inUse, 'negativesAlarmed');
  const on = escaped(decided.fittedOn ?? 'validation');
  const { guarantee, triage } = report;
  const metric = limitedMetric('false alarms', guarantee, decided.unit, inUse.metrics);
  const cleared = triage ? clearedFact(triage.guarantee, judged, on, inUse) : [];
  if (!guarantee.holds)
    return [
      [
        'Where fitted',
        `${countText(triage?.negatives.alarm ?? report.falseAlarms)} of ${countText(report.negatives)} ${on} negatives ${triage ? 'raised an alarm' : 'got a label'}${decided.unit === 'group' ? '; the limit counts whole groups' : ''}`,
      ],
      ...seenFact(judged.split, inUse, metric),
      ...cleared,
      ...wayOut(guarantee, on, decided.unit),
      ...neverFact(report.neverPredicted, on),
    ];
  const chosen =
    guarantee.candidates > 1 ? `, the best of ${countText(guarantee.candidates)} candidates` : '';
  return [
    ['Confidence', `${shortPercent(guarantee.confidence)}${triage?.guarantee.holds ? ' each' : ''}${chosen}`],
    ['Unit', unitText(guarantee, instance)],
    ['Rests on', restText(guarantee, on)],
    ...seenFact(judged.split, inUse, metric),
    ...cleared,
    ...neverFact(report.neverPredicted, on),
  ];
}

/** Classes that can never be predicted, and why. */
function neverFact(names: readonly string[], on: string): [string, string][] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 8).join(', ') + (names.length > 8 ? ` and ${names.length - 8} more` : '');
  return [['Never predicted', `${escaped(shown)}: no positive in ${on}, or none above the gate`]];
}

function unitText({ unit, groups }: GivenGuarantee, instance: string): string {
  if (unit === 'group') return 'one group without positives; future groups must have like sizes';
  return groups === null
    ? `one negative ${instance}, drawn at random`
    : `one negative ${instance} of a random group`;
}

function restText({ exceeding, of, groups, unit }: GivenGuarantee, on: string): string {
  const ofGroups = unit === 'group' ? 'groups without positives' : 'groups, one negative of each,';
  const what = groups === null ? `${on} negatives` : `${on} ${ofGroups}`;
  return `${countText(exceeding)} of ${countText(of)} ${what} above the gate`;
}

function seenFact(split: string, inUse: DecisionInUse, metric: PromisedMetric): [string, string][] {
  const { metrics, outcomes } = inUse;
  const seen = metrics[metric];
  if (seen === null) return [];
  const range = seenRange(metric, inUse);
  const alarmed = outcomes.counts['false-alarm'];
  const labeled = Math.round((metrics.falseAlarmRate ?? 0) * metrics.negativeRows);
  const images = `${countText(alarmed)} of ${countText(metrics.negativeRows)} negatives${labeled < alarmed ? `, ${countText(labeled)} of them with a label` : ''}`;
  const unit =
    metric === 'groupsAlarmed'
      ? ' of groups'
      : metric === 'negativesAlarmedByGroup' || metric === 'falseAlarmRateByGroup'
        ? ', counting each group equally'
        : '';
  return [
    [
      `Seen on ${split === '' ? 'these' : split}`,
      `<b class="num">${percentText(seen)}%</b>${range ? ` (${percentText(range.low)} to ${percentText(range.high)})` : ''}${unit}, ${images}`,
    ],
  ];
}

/** The positives that were cleared, beside what is promised about them. */
function clearedFact(
  guarantee: Guarantee,
  { split, decided }: JudgedMaterial['judged'],
  on: string,
  { metrics, outcomes, intervals }: DecisionInUse,
): [string, string][] {
  const metric = limitedMetric('missed positives', guarantee, decided?.unit ?? 'image', metrics);
  const seen = metrics[metric];
  if (seen === null) return [];
  const range = intervals?.overall[metric];
  const interval = range ? ` (${percentText(range.low)} to ${percentText(range.high)})` : '';
  const unit =
    metric === 'groupsMissed'
      ? ' of groups'
      : metric === 'missedRateByGroup'
        ? ', counting each group equally'
        : '';
  const cleared = `${countText(outcomes.work.clear.positive)} of ${countText(metrics.positiveRows)} positives${split === '' ? '' : ` of ${split}`}`;
  const basis = guarantee.holds
    ? `rests on ${countText(guarantee.exceeding)} of ${countText(guarantee.of)} of ${on}`
    : `nothing is promised: ${guarantee.reason}`;
  return [['Cleared', `<b class="num">${percentText(seen)}%</b>${interval}${unit}, ${cleared}; ${basis}`]];
}

/** What it takes to get a promise. */
function wayOut(
  { needed, of = 0, ofGroups, reason }: NoGuarantee,
  on: string,
  unit: PromiseUnit,
): [string, string][] {
  if (reason === 'adaptive choice')
    return [
      ['Why', 'this model was chosen among others on the rows that its decision was fitted on'],
      ['To get one', 'fit the decision on rows that chose nothing'],
    ];
  if (needed === undefined) return [];
  const kind = reason === 'too few positives' ? 'positives' : 'negatives';
  const only = unit === 'group' && kind === 'negatives' ? ' only' : '';
  const what = ofGroups ? `groups with ${kind}${only}` : kind;
  return [
    [
      'To get one',
      `label ${countText(Math.max(1, needed - of))} more ${what} for ${on} (${countText(needed)} in all)`,
    ],
  ];
}

function seenBar(
  guarantee: Guarantee | undefined,
  decided: DecidedMetrics | undefined,
  inUse: DecisionInUse,
): string {
  const { metrics } = inUse;
  const budget = guarantee?.holds
    ? guarantee.rate
    : decided?.budget && 'falseAlarms' in decided.budget
      ? decided.budget.falseAlarms
      : undefined;
  const metric =
    guarantee && decided
      ? limitedMetric('false alarms', guarantee, decided.unit, metrics)
      : 'negativesAlarmed';
  const seen = metrics[metric];
  if (budget === undefined || seen === null) return '';
  return budgetBar({ budget, seen, interval: seenRange(metric, inUse) });
}

/** Its interval. Draws from rows without an alarm never show one, so there the exact interval takes the place of the bootstrap's. */
function seenRange(metric: PromisedMetric, { metrics, intervals }: DecisionInUse) {
  const range = intervals?.overall[metric] ?? undefined;
  if (!range || !intervals || metric !== 'negativesAlarmed' || metrics.negativesAlarmed !== 0) return range;
  return { low: 0, high: falseAlarmUpperBound(0, metrics.negativeRows, (1 + intervals.confidence) / 2) };
}

/** False alarms a day, at this share of negatives. What is promised for groups bounds no number of images. */
function dailyText(
  guarantee: Guarantee | undefined,
  { metrics }: DecisionInUse,
  instance: JudgedMaterial['instance'],
): string {
  const { negativeRows, positiveRows, negativesAlarmed } = metrics;
  if (negativesAlarmed === null) return '';
  const negatives = (perDay * negativeRows) / Math.max(1, negativeRows + positiveRows);
  const expected = `about ${countText(negatives * negativesAlarmed)} false alarms`;
  const most =
    guarantee?.holds && guarantee.groups === null
      ? `, at most ${countText(negatives * guarantee.rate)} promised`
      : guarantee?.holds
        ? '; a promise on groups does not bound them'
        : '';
  return `At ${countText(perDay)} ${instance}s a day: ${expected}${most}.`;
}
