import type { Scored } from '@anyclass/core';
import type { ThresholdCounts } from './tensorboardEvents.js';

const thresholds = 101;

/**
 * Counts a class's rows at thresholds that rise evenly from 0 to 1; rows whose label is unknown are left out.
 *
 * @example
 * thresholdCounts({ scores: [0.9, 0.2], targets: [1, 0], classNames: ['crack'] }, 0).truePositives[50] // 1
 */
export function thresholdCounts(
  { scores, targets, classNames }: Scored,
  classIndex: number,
): ThresholdCounts {
  // How many positives and negatives reach each threshold but not the next one.
  const reached = [new Array<number>(thresholds).fill(0), new Array<number>(thresholds).fill(0)] as const;
  for (let i = classIndex; i < targets.length; i += classNames.length) {
    const target = targets[i]!;
    if (!Number.isFinite(target)) continue;
    const at = Math.min(thresholds - 1, Math.floor(scores[i]! * (thresholds - 1)));
    reached[target >= 0.5 ? 1 : 0][at]!++;
  }
  const [negatives, positives] = [fromTheEnd(reached[0]), fromTheEnd(reached[1])];
  return {
    truePositives: positives,
    falsePositives: negatives,
    trueNegatives: negatives.map((count) => negatives[0]! - count),
    falseNegatives: positives.map((count) => positives[0]! - count),
  };
}

function fromTheEnd(counts: readonly number[]): number[] {
  const sums = [...counts];
  for (let i = sums.length - 2; i >= 0; i--) sums[i]! += sums[i + 1]!;
  return sums;
}
