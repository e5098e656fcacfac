// metrics.jsonl: one line per epoch, appended when the epoch is complete.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { withPath } from '@anyclass/files';
import { isPlainObject } from '../configuration/overrides.js';
import type { EpochRecord } from '../events/epochRecord.js';
import { parsedJson, writeWhole } from '../files/wholeFile.js';

export function appendEpoch(path: string, record: EpochRecord): void {
  withPath(path, () => appendFileSync(path, `${JSON.stringify(record)}\n`));
}

/** Reads the epochs in the log; truncated or damaged lines are skipped. */
export function readEpochs(path: string): EpochRecord[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').map(parsedJson).filter(isEpoch);
}

function isEpoch(value: unknown): value is EpochRecord {
  return isPlainObject(value) && typeof value['epoch'] === 'number' && isPlainObject(value['validation']);
}

/** Removes the epochs after the given one, because a resumed run repeats them. */
export function keepEpochs(path: string, upTo: number): void {
  const kept = readEpochs(path).filter(({ epoch }) => epoch <= upTo);
  writeWhole(path, kept.map((record) => `${JSON.stringify(record)}\n`).join(''));
}
