// Formats judgments as text for a terminal.

import {
  describeFalseAlarms,
  describeMoreLabels,
  describePromises,
  type LabeledKind,
  moreLabels,
  type SharedRows,
} from '@anyclass/core';
import { counted, inflected } from '../errors/counted.js';
import { listed } from '../errors/listed.js';
import type { DecidedMetrics, Judgment, PricedBudget } from '../events/judgment.js';
import type { OddImages, RunSummary } from '../events/runSummary.js';
import { judgmentVerdict } from '../experiments/comparisonVerdict.js';
import { type Table, textTable } from '../tables/index.js';
import { percent } from '../tables/percent.js';
import { classTable, metricTable } from './metricTables.js';

/**
 * Formats a judgment as text: a verdict, the main metrics, then a line for each class.
 *
 * @example
 * console.log(judgmentText(judge(scored)))
 */
export function judgmentText(judgment: Judgment): string {
  const { rows, positiveRows, negativeRows, undefinedMetrics } = judgment.metrics;
  const { intervals, reliability, calibrated } = judgment;
  const ece = (value: number | null) => (value === null ? '–' : value.toFixed(4));
  return [
    judgmentVerdict(judgment),
    `${judgment.split || 'scores'}: ${counted(rows, 'instance')}, ${positiveRows.toLocaleString('en-US')} positive, ${negativeRows.toLocaleString('en-US')} negative; metrics in percent${intervals ? `, with ${Math.round(100 * intervals.confidence)}% intervals` : ''}`,
    bare(metricTable(judgment)),
    bare(classTable(judgment)),
    ...decisionLines(judgment.decided, judgment.split),
    `calibration error of 'any class' ${ece(reliability.anyClassEce)}${calibrated ? `, ${ece(calibrated.anyClassEce)} after ${calibrated.calibration.kind} scaling` : ''}`,
    ...undefinedLines(undefinedMetrics),
  ].join('\n\n');
}

/** Describes the results of a run, and where they are stored. */
export function summaryText(folder: string, summary: RunSummary, hasReport = true): string {
  const { test, validation } = summary;
  return [
    judgmentText(test ?? validation),
    `weights of epoch ${chosenEpoch(summary)}`,
    ...(summary.guard ? [guardText(summary.guard)] : []),
    [`model   ${folder}/model.safetensors`, ...(hasReport ? [`report  ${folder}/report.html`] : [])].join(
      '\n',
    ),
  ].join('\n\n');
}

/**
 * Says which epoch a run was evaluated at, and why.
 *
 * @example
 * chosenEpoch(summary) // '7 of 10, the best by mAP'
 */
export function chosenEpoch({ bestEpoch, epochs, bestBy, isLastInstead, isLastKept }: RunSummary): string {
  if (isLastKept) return `${bestEpoch} of ${epochs}, the last one`;
  return `${bestEpoch} of ${epochs}, ${isLastInstead ? `the last one, because the best one by ${bestBy} is lost` : `the best by ${bestBy}`}`;
}

/**
 * Says how many images the guard calls odd, and why.
 *
 * @example
 * guardText(summary.guard) // 'odd images, reviewed instead of cleared: 1.2% of validation, 1.5% of test (too dark 6, unlike the training images 9)'
 */
function guardText({ validation, test }: NonNullable<RunSummary['guard']>): string {
  const share = ({ odd, images }: OddImages) => `${((100 * odd) / Math.max(1, images)).toFixed(1)}%`;
  const reasons = Object.entries((test ?? validation).reasons).map(([reason, count]) => `${reason} ${count}`);
  const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
  return `odd images, reviewed instead of cleared: ${share(validation)} of validation${test ? `, ${share(test)} of test` : ''}${why}`;
}

/** Returns one line for each undefined metric and reason, with all its classes. */
function undefinedLines(metrics: Judgment['metrics']['undefinedMetrics']): string[] {
  const classesOf = new Map<string, string[]>();
  for (const { metric, className, reason } of metrics) {
    if (className === undefined) continue;
    const key = `${metric} is undefined (${reason}): `;
    classesOf.set(key, [...(classesOf.get(key) ?? []), className]);
  }
  return Array.from(classesOf, ([key, classes]) => key + classes.join(', '));
}

// Formats a table without its note, because the first line of the text says the same.
function bare({ columns, rows }: Table): string {
  return textTable({ title: '', columns, rows });
}

/** Says what the fitted decision guarantees, and what it does not. */
function decisionLines(decided: Judgment['decided'], split: string): string[] {
  if (!decided?.report || decided.fittedOn === null) return [];
  const { report, fittedOn, shared } = decided;
  return [
    [
      `the decision was fitted on ${fittedOn}: ${describeFalseAlarms({ report, fittedOn })}`,
      ...describePromises(report).map((promise) => `on new data of the same kind, ${promise}`),
      ...seenLines(decided, split),
      ...(shared && shared.rows > 0 ? [sharedText(shared, decided.metrics.rows)] : []),
      ...report.remarks,
      ...(decided.costs ? [costText(decided.costs)] : []),
      ...outcomeLines(decided, split),
      // Rows that are known already cannot be part of what more labels buy.
      ...(shared && shared.rows > 0 ? [] : buyLines(decided)),
    ].join('\n'),
  ];
}

/** What the budget is, how surely the rows of the fit tell it, and what it saves. */
function costText({
  miss,
  alarm,
  prevalence,
  falseAlarms,
  low,
  high,
  missed,
  ...costs
}: PricedBudget): string {
  const cost = (value: number) => Number(value.toPrecision(3)).toLocaleString('en-US');
  return [
    `where a miss costs ${cost(miss)}, a false alarm ${cost(alarm)} and ${percent(prevalence)}% are positive, the cheapest budget is ${percent(falseAlarms)}% false alarms (${percent(low)} to ${percent(high)}), with ${percent(missed)}% missed:`,
    `  ${cost(costs.cost)} per image, without any alarm ${cost(costs.costOfSilence)}, with an alarm for every image ${cost(costs.costOfAlarms)}`,
  ].join('\n');
}

/** The rates that promises about groups are judged by; those over images weigh large groups more. */
function seenLines({ unit, groups, metrics, clear }: DecidedMetrics, split: string): string[] {
  const { negativesAlarmedByGroup, missedRateByGroup, groupsAlarmed, groupsMissed } = metrics;
  const where = `seen on ${split || 'these rows'}`;
  const share = (value: number | null | undefined) => (value == null ? '–' : `${percent(value)}%`);
  if (unit === 'group') {
    const missed = clear === null ? '' : `, ${share(groupsMissed)} of groups with a positive are cleared`;
    return [`${where}: ${share(groupsAlarmed)} of groups without positives get an alarm${missed}`];
  }
  if (groups === null || negativesAlarmedByGroup == null) return [];
  const cleared = clear === null ? '' : ` and ${share(missedRateByGroup)} of positives are cleared`;
  return [
    `${where}: ${share(negativesAlarmedByGroup)} of negatives alarm${cleared}, counting each group equally`,
  ];
}

/** What more labeled negatives and positives like these would buy; of rows that share groups, more groups. */
function buyLines({ metrics, unit, groups, judgedGroups }: DecidedMetrics): string[] {
  const { negativeRows, negativesAlarmed, positiveRows, missedRate } = metrics;
  const { negativesAlarmedByGroup, missedRateByGroup, groupsAlarmed, groupsMissed } = metrics;
  const buys = (count: number, rate: number | null | undefined, kind: LabeledKind) =>
    typeof rate === 'number' ? describeMoreLabels(moreLabels(count, rate), kind) : [];
  if (judgedGroups === undefined && groups === null)
    return [
      ...buys(negativeRows, negativesAlarmed, 'negatives'),
      ...buys(positiveRows, missedRate, 'positives'),
    ];
  // Rows without groups say nothing about groups.
  if (judgedGroups === undefined) return [];
  const { negatives, positives } = judgedGroups;
  return unit === 'group'
    ? [
        ...buys(negatives, groupsAlarmed, 'groups with negatives only'),
        ...buys(positives, groupsMissed, 'groups with a positive'),
      ]
    : [
        ...buys(negatives, negativesAlarmedByGroup, 'groups with a negative'),
        ...buys(positives, missedRateByGroup, 'groups with a positive'),
      ];
}

function sharedText({ rows, byName, byHash, byGroup, examples }: SharedRows, judged: number): string {
  const other = byGroup > 0 && byName === 0 && byHash === 0 ? '; rename the groups if they are others' : '';
  return `${rows.toLocaleString('en-US')} of ${counted(judged, 'evaluated row')} ${inflected(rows, 'is', 'are')} known to the model or to the fit of its decision, by name, contents or group (${listed(examples)}), so nothing is promised${other}`;
}

/** What happens to rows, if they have three outcomes or the user named a prevalence. */
function outcomeLines({ clear, outcomes, workload, metrics }: DecidedMetrics, split: string): string[] {
  const { prevalence } = workload;
  if (clear === null && prevalence === null) return [];
  const { negativesAlarmed, missedRate } = metrics;
  const share = (value: number | null) => (value === null ? '–' : `${percent(value)}%`);
  const [cleared, reviewed, alarmed] = [workload.clear, workload.review, workload.alarm].map(Math.round);
  return [
    `outcomes on ${split || 'these rows'}: ${share(outcomes.clear)} clear, ${share(outcomes.review)} review, ${share(outcomes.alarm)} alarm; ${share(negativesAlarmed)} of negatives alarm, ${share(missedRate)} of positives are cleared`,
    `of 1,000 ${prevalence === null ? 'like these' : `with ${share(prevalence)} positives`}: ${cleared} clear, ${reviewed} review, ${alarmed} alarm`,
  ];
}
