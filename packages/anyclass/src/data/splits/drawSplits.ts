import { iterativeStratifiedSplit, shuffleSplit, threeWaySplit } from '@anyclass/core';
import { counted, inflected } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import type { Grouping, Splits } from '../dataset/dataset.js';
import type { LabelMatrix } from '../dataset/labelMatrix.js';

export interface DrawOptions {
  /** Shares of train, validation, and test; a test share of 0 means no test split. Default .7, .15, .15. */
  readonly shares?: readonly [number, number, number];
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
 * Draws train, validation, and test splits.
 *
 * @example
 * drawSplits(labels, undefined, { method: 'random', seed: 1 }).train.length // 70 of 100
 */
export function drawSplits(labels: LabelMatrix, groups: Grouping | undefined, options: DrawOptions): Splits {
  const { shares = [0.7, 0.15, 0.15], seed = 42, method = 'stratified' } = options;
  const rest = shares[1] + shares[2];
  const hasTest = shares[2] > 0;
  const none = new Int32Array(0);
  if (method === 'random' && !groups) {
    const shuffled = (rows: number, testSize: number) => {
      try {
        return shuffleSplit(rows, { testSize, random: seed });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new DataError(
          `${counted(labels.rows, 'row')} ${inflected(labels.rows, 'is', 'are')} too few to draw random splits of ${shares.join(', ')}; add rows, or set data.draw.method to stratified`,
        );
      }
    };
    if (!hasTest) {
      const { train, test } = shuffled(labels.rows, rest);
      return { train: train.sort(), validation: test.sort(), test: none };
    }
    const split = threeWaySplit(shuffled(labels.rows, rest), (rows) =>
      shuffled(rows.length, shares[2] / rest),
    );
    return { train: split.train.sort(), validation: split.validation.sort(), test: split.test.sort() };
  }
  // Without labels, iterative stratification distributes groups by size alone.
  const [train, validation, test = none] = iterativeStratifiedSplit(
    method === 'random' ? new Uint8Array(labels.rows) : labels,
    {
      classes: method === 'random' ? 1 : Math.max(1, labels.classes),
      shares: hasTest ? shares : shares.slice(0, 2),
      random: seed,
      ...(groups && { groups: groups.codes }),
    },
  );
  // With two groups, one goes to validation: training needs it, but can do without a test split.
  if (validation!.length === 0) return { train: train!, validation: test, test: none };
  return { train: train!, validation: validation!, test };
}

/** How the splits were drawn, in words. */
export function describeDraw(groups: Grouping | undefined, options: DrawOptions): string {
  const { shares = [0.7, 0.15, 0.15], seed = 42, method = 'stratified' } = options;
  const by = groups ? `, rows of one '${groups.column}' together` : '';
  const percent = shares.map((share) => Math.round(share * 1000) / 10).join('/');
  return `drawn: ${method}${by}, ${percent}, seed ${seed}`;
}
