// metrics.jsonl: a line for each epoch, appended when it is over.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { withPath } from '@anyclass/torch/files';
import { isPlainObject } from '../configuration/overrides.js';
import type { EpochRecord } from '../events/epochRecord.js';
import { parsedJson, writeWhole } from '../files/wholeFile.js';

export function appendEpoch(path: string, record: EpochRecord): void {
  withPath(path, () => appendFileSync(path, `${JSON.stringify(record)}\n`));
}

/** The epochs in the log; a line that was cut off or damaged is not there. */
export function readEpochs(path: string): EpochRecord[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').map(parsedJson).filter(isEpoch);
}

function isEpoch(value: unknown): value is EpochRecord {
  return isPlainObject(value) && typeof value['epoch'] === 'number' && isPlainObject(value['validation']);
}

/** Forgets what came after an epoch: a resumed run lives it again. */
export function keepEpochs(path: string, upTo: number): void {
  const kept = readEpochs(path).filter(({ epoch }) => epoch <= upTo);
  writeWhole(path, kept.map((record) => `${JSON.stringify(record)}\n`).join(''));
}
