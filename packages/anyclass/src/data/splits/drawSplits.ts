import { iterativeStratifiedSplit, shuffleSplit } from '@anyclass/core';
import { counted, inflected } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import { type Grouping, type SplitName, type Splits, splitNames } from '../dataset/dataset.js';
import type { LabelMatrix } from '../dataset/labelMatrix.js';

export interface DrawOptions {
  /**
   * Shares of train, validation, and test, and optionally of the rows held back for the decision; a test share of 0 means
   * no test split. Default .7, .15, .15.
   */
  readonly shares?: readonly number[];
  /** Default 42. */
  readonly seed?: number;
  /**
   * `stratified` (default): every class is distributed over the splits by their shares, and so are undecided
   * and negative rows. `random`: rows are drawn regardless of labels. Both keep the rows of a group together,
   * if the dataset has groups.
   */
  readonly method?: 'stratified' | 'random';
}

/**
 * Draws the splits: train, validation, test, and decision if it has a share.
 *
 * @example
 * drawSplits(labels, undefined, { method: 'random', seed: 1 }).train.length // 70 of 100
 */
export function drawSplits(labels: LabelMatrix, groups: Grouping | undefined, options: DrawOptions): Splits {
  const { shares = [0.7, 0.15, 0.15], seed = 42, method = 'stratified' } = options;
  const none = new Int32Array(0);
  const drawn = splitNames.filter((_, s) => (shares[s] ?? 0) > 0);
  const wanted = drawn.map((split) => shares[splitNames.indexOf(split)]!);
  const parts =
    method === 'random' && !groups
      ? randomParts(labels.rows, wanted, seed)
      : // Without labels, iterative stratification distributes groups by size alone.
        iterativeStratifiedSplit(method === 'random' ? new Uint8Array(labels.rows) : labels, {
          classes: method === 'random' ? 1 : Math.max(1, labels.classes),
          shares: wanted,
          random: seed,
          ...(groups && { groups: groups.codes }),
        });
  const partOf = (split: SplitName) => parts[drawn.indexOf(split)] ?? none;
  const [train, validation, test, decision] = [
    partOf('train'),
    partOf('validation'),
    partOf('test'),
    partOf('decision'),
  ];
  // With two groups, one goes to validation: training needs it, but can do without the others.
  if (validation.length === 0) return { train, validation: test, test: none, decision };
  return { train, validation, test, decision };
}

/** Cuts off the first part, then the next from what is left, as scikit-learn does with a list. */
function randomParts(rows: number, shares: readonly number[], seed: number): Int32Array[] {
  const shuffled = (count: number, testSize: number) => {
    try {
      return shuffleSplit(count, { testSize, random: seed });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new DataError(
        `${counted(rows, 'row')} ${inflected(rows, 'is', 'are')} too few to draw random splits of ${shares.join(', ')}; add rows, or set data.draw.method to stratified`,
      );
    }
  };
  const parts: Int32Array[] = [];
  let left: Int32Array = Int32Array.from({ length: rows }, (_, row) => row);
  for (let part = 0; part < shares.length - 1; part++) {
    const rest = shares.slice(part + 1).reduce((sum, share) => sum + share, 0);
    const testSize = part === 0 ? rest : rest / (shares[part]! + rest);
    const { train, test } = shuffled(left.length, testSize);
    parts.push(train.map((position) => left[position]!).sort());
    left = test.map((position) => left[position]!);
  }
  return [...parts, left.sort()];
}

/** How the splits were drawn, in words. */
export function describeDraw(groups: Grouping | undefined, options: DrawOptions): string {
  const { shares = [0.7, 0.15, 0.15], seed = 42, method = 'stratified' } = options;
  const by = groups ? `, rows of one '${groups.column}' together` : '';
  const percent = shares.map((share) => Math.round(share * 1000) / 10).join('/');
  return `drawn: ${method}${by}, ${percent}, seed ${seed}`;
}
