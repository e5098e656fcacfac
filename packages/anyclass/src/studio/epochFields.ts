// A few fields of metrics.jsonl, without parsing the rest: a thousand runs of a hundred epochs have 200 MB of metrics by class, of which
// the list shows two numbers an epoch.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Fields that the list reads: the metrics that can choose an epoch, and those that it shows. */
const keys = {
  mAP: '"mAP":',
  macroF1: '"macroF1":',
  macroF2: '"macroF2":',
  f2Ciw: '"f2Ciw":',
  f1Neg: '"f1Neg":',
  loss: '"validationLoss":',
  bce: '"validationBce":',
} as const;

export type EpochField = keyof typeof keys;

export function isEpochField(name: string): name is EpochField {
  return name in keys;
}

/**
 * Returns fields of each complete line; null where a line lacks a number.
 *
 * @example
 * epochFields('runs/a/metrics.jsonl', ['mAP', 'macroF1']).get('mAP') // [0.31, 0.42]
 */
export function epochFields(path: string, fields: readonly EpochField[]): Map<EpochField, (number | null)[]> {
  const bytes = contentOf(path);
  const found = new Map(fields.map((field): [EpochField, (number | null)[]] => [field, []]));
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    if (end < 0) break;
    for (const [field, values] of found) values.push(numberAfter(bytes, keys[field], start, end));
    start = end + 1;
  }
  return found;
}

/** One buffer for all files: a new one for each would keep the garbage collector busy. */
let buffer = Buffer.alloc(1 << 20);

/** The content of a file, until the next call. */
function contentOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (buffer.length < size) buffer = Buffer.alloc(2 * size);
    let length = 0;
    for (let count = -1; count !== 0 && length < size; length += count)
      count = readSync(file, buffer, length, size - length, length);
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Characters of the longest number. */
const longest = 26;

function numberAfter(bytes: Buffer, key: string, start: number, end: number): number | null {
  const at = bytes.indexOf(key, start, 'latin1');
  if (at < 0 || at >= end) return null;
  const from = at + key.length;
  const text = bytes.toString('latin1', from, Math.min(end, from + longest));
  const value = Number.parseFloat(text);
  return Number.isFinite(value) ? value : null;
}
