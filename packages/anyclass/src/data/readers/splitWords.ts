// The names of splits in files, folders, and columns.

import { DataError } from '../../errors/dataError.js';
import { type DatasetTable, type SplitName, type Splits, splitNames } from '../dataset/dataset.js';
import { growingInt32 } from '../dataset/typedArrays.js';

/**
 * The split that a word stands for: train, val, valid, validation, dev, test, decision.
 *
 * @example
 * splitFromWord('Valid') // 'validation'
 */
export function splitFromWord(word: string): SplitName | undefined {
  const plain = word.toLowerCase();
  if (plain === 'train' || plain === 'training') return 'train';
  if (plain === 'val' || plain === 'valid' || plain === 'validation' || plain === 'dev') return 'validation';
  if (plain === 'decision') return 'decision';
  return plain === 'test' || plain === 'testing' ? 'test' : undefined;
}

/** The split in a file name: train.csv, instances_val2017.json, train-00000-of-00004.parquet. */
export function splitFromFileName(file: string): SplitName | undefined {
  const words = file
    .replace(/\..*$/, '')
    .split(/[-_]/)
    .map((word) => word.replace(/\d+$/, ''));
  return splitFromWord(words[0] ?? '') ?? splitFromWord(words.at(-1) ?? '');
}

/** The split in a cell. */
export function splitNamed(word: string, where: () => string): SplitName {
  const split = splitFromWord(word.trim());
  if (split !== undefined) return split;
  throw new DataError(`${where()}: split '${word}'; expected train, validation, test, or decision`);
}

/**
 * Splits from each row's index into `splitNames`, -1 for none; undefined if no row has a split.
 *
 * @example
 * splitsFromCodes(Int32Array.of(0, 0, 1), 'one file per split')?.splits.train // 0 1
 */
export function splitsFromCodes(codes: Int32Array, origin: string): DatasetTable['fixedSplits'] | undefined {
  if (!codes.some((code) => code >= 0)) return undefined;
  const rowsOf = (wanted: SplitName) => {
    const code = splitNames.indexOf(wanted);
    const rows = growingInt32();
    codes.forEach((found, row) => {
      if (found === code) rows.push(row);
    });
    return rows.finish();
  };
  const splits: Splits = {
    train: rowsOf('train'),
    validation: rowsOf('validation'),
    test: rowsOf('test'),
    decision: rowsOf('decision'),
  };
  return { splits, origin };
}
