// A refit in words.

import { type Decision, describeFalseAlarms, describePromises, promiseUnit } from '@anyclass/core';
import { counted } from '../errors/counted.js';
import { replacedPromises } from '../runs/decisionOrigin.js';
import { alignedColumns } from '../tables/index.js';
import type { CrossFittedMetrics, CrossFittedRate } from './crossFitted.js';
import type { Refit } from './refit.js';

/**
 * Says what the new decision promises, what it rests on, and how it does on rows that it was not fitted on.
 *
 * @example
 * console.log(refitText(await refit('runs/pipes', { dataset: 'site.csv', out: 'site.safetensors' })))
 */
export function refitText({ out, decision, origin, crossFitted, remarks }: Refit): string {
  const promises = describePromises(decision.report);
  const rows: [string, string][] = [
    [
      'data',
      `${origin.data}: ${counted(origin.rows, 'row')}, ${origin.positives} positive, ${origin.negatives} negative${origin.undecided > 0 ? `, ${origin.undecided} undecided` : ''}${origin.groups === null ? '' : `, ${counted(origin.groups, 'group')}`}`,
    ],
    ['on these rows', `${describeFalseAlarms({ report: decision.report, fittedOn: null })} alarm`],
    ['instead of', replacedPromises(origin.replaces)],
  ];
  return [
    promises.length === 0
      ? `The new decision promises nothing about new data of ${origin.data}.`
      : `On new data like ${origin.data}: ${promises.join('; ')}.`,
    alignedColumns(rows, ['left', 'left']),
    ...(crossFitted ? [crossFittedText(crossFitted, decision)] : []),
    ...(remarks.length > 0 ? [remarks.join('\n')] : []),
    `wrote ${out}`,
  ].join('\n\n');
}

function crossFittedText(
  {
    folds,
    macroF1,
    recallAny,
    falseAlarmRate,
    falseAlarmRateByGroup,
    alarmRate,
    missedRate,
    remark,
  }: CrossFittedMetrics,
  { budget }: Decision,
): string {
  const shown = ({ value, low, high }: CrossFittedRate) =>
    `${tenths(value)}% (${tenths(low)} to ${tenths(high)})`;
  const isPerGroup = promiseUnit(budget) === 'group';
  const [alarming, cleared] = isPerGroup
    ? ['groups without positives that alarm', 'groups with a positive that are cleared']
    : ['negatives that alarm', 'positives that are cleared'];
  const parts = [
    ...(falseAlarmRate ? [`false alarms ${shown(falseAlarmRate)}`] : []),
    ...(falseAlarmRateByGroup ? [`by group ${shown(falseAlarmRateByGroup)}`] : []),
    ...(alarmRate && (missedRate || isPerGroup) ? [`${alarming} ${shown(alarmRate)}`] : []),
    ...(missedRate ? [`${cleared} ${shown(missedRate)}`] : []),
    ...(recallAny ? [`positives found ${shown(recallAny)}`] : []),
    ...(macroF1 ? [`F1 ${shown(macroF1)}`] : []),
  ];
  const why = remark === undefined ? '' : `; ${remark}`;
  return `cross-fitted in ${folds} folds, each row judged by a decision fitted without it, with 95% intervals:\n${parts.join(', ')}${why}`;
}

function tenths(share: number): string {
  return (100 * share).toFixed(1);
}
