// What a model file holds, in words.

import {
  type Decision,
  describeFalseAlarms,
  describeLimits,
  describePromises,
  type Guard,
  presenceProbability,
} from '@anyclass/core';
import { takesFeatures } from '../data/dataset/inputs.js';
import { counted } from '../errors/counted.js';
import { listed } from '../errors/listed.js';
import type { ModelRecord } from '../inference/modelRecord.js';
import { type DecisionOrigin, replacedPromises } from '../runs/decisionOrigin.js';
import type { ModelDescription } from '../runs/modelFile.js';
import { alignedColumns } from '../tables/index.js';
import { megabytes } from '../tables/megabytes.js';

/**
 * Describes a model file: network, input, classes, calibration, decision and promise, and where each came from.
 *
 * @example
 * console.log(modelText(readModelRecord('runs/sewer')))
 */
export function modelText(record: ModelRecord): string {
  const { description } = record;
  const { decision, decisionOrigin } = description;
  const facts = alignedColumns(
    [
      ['file', `${record.file}, ${megabytes(record.bytes)}`],
      ['network', networkText(record)],
      ['input', inputText(record)],
      ['classes', counted(description.classes.length, 'class')],
      ['trained on', trainedText(description)],
      ['calibration', calibrationText(description)],
      ['decision', decision ? decisionText(decision) : 'none: 0.5 for all classes'],
      ...(decision ? [['from', fromText(decision, decisionOrigin)]] : []),
      ...(decision ? promiseRows(decision) : []),
      ...(decisionOrigin ? [['instead of', replacedText(decisionOrigin)]] : []),
      ...(description.guard ? [['guard', guardText(description.guard)]] : []),
    ],
    ['left', 'left'],
  );
  return [facts, ...(decision ? [thresholdText(decision)] : [listed(description.classes, 100)])].join('\n\n');
}

function networkText({ network, kind, precision, parameters }: ModelRecord): string {
  const size = parameters === null ? '' : `, ${counted(parameters, 'number')}`;
  return `${network}, ${kind}, ${precision}${size}`;
}

function inputText({ description, inputSize, tiles }: ModelRecord): string {
  if (takesFeatures(description)) return counted(description.features.length, 'feature');
  const color = description.channels === 1 ? 'gray' : 'RGB';
  const cut = tiles ? `, cut into ${tiles.count} tiles of ${tiles.size}` : '';
  return `images of ${inputSize} by ${inputSize} pixels, ${color}${cut}`;
}

function trainedText({ dataset, loss, epoch }: ModelDescription): string {
  if (dataset === 'unknown') return 'unknown: imported from a checkpoint';
  return `${dataset}, with ${loss}; weights of epoch ${epoch}`;
}

function calibrationText({ calibration }: ModelDescription): string {
  if (!calibration) return 'none';
  return `${calibration.kind} scaling, fitted on ${calibration.fittedOn ?? 'unknown data'}`;
}

function decisionText({ rule, presence, clear }: Decision): string {
  let digits = 1;
  const at = (score: number) => `${(100 * presenceProbability(score)).toFixed(digits)}%`;
  // Limits that differ must not look alike: what lies between them is reviewed.
  while (presence !== null && clear !== null && clear < presence && digits < 10 && at(clear) === at(presence))
    digits++;
  if (rule !== 'gate') return `rule ${rule}`;
  if (presence === null) return 'nothing alarms: no gate keeps the budget';
  const cleared = clear === null ? '' : `, clear below ${at(clear)}, review between`;
  return `alarm from a presence of ${at(presence)}${cleared}`;
}

function fromText(decision: Decision, origin: DecisionOrigin | undefined): string {
  const { fittedOn, report } = decision;
  if (fittedOn === null) return 'given, not fitted';
  const rows = describeFalseAlarms({ report, fittedOn: origin ? null : fittedOn });
  return origin
    ? `refit on ${origin.data}, ${origin.date.slice(0, 10)}, ${counted(origin.rows, 'row')}: ${rows}`
    : `training, fitted on ${rows}`;
}

function promiseRows(decision: Decision): [string, string][] {
  const { report, fittedOn } = decision;
  const promises = describePromises(report);
  const limits = describeLimits(decision);
  return [
    ...(promises.length === 0
      ? [['promise', 'none'] satisfies [string, string]]
      : promises.map((text): [string, string] => ['promise', `on data like ${fittedOn}, ${text}`])),
    ...(limits === undefined ? [] : [['limits', limits] satisfies [string, string]]),
    ...(fittedOn === null ? [] : report.remarks.map((text): [string, string] => ['note', text])),
  ];
}

function guardText({ quantile, training }: Guard): string {
  const also = training ? ', and those far from the training images' : '';
  return `reviews odd images instead of clearing them: brightness, contrast or color that ${100 * quantile}% of validation do not have${also}`;
}

function replacedText({ replaces }: DecisionOrigin): string {
  const when = replaces.date === null ? '' : `, ${replaces.date.slice(0, 10)}`;
  return `${replacedPromises(replaces)}${when}`;
}

function thresholdText({ classNames, thresholds }: Decision): string {
  const rows = classNames.map((name, j) => [name, thresholds[j]?.toFixed(4) ?? 'never']);
  return alignedColumns([['class', 'predicted from'], ...rows], ['left', 'right']);
}
