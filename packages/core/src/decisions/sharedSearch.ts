// Finds one threshold for all classes: the one within the budget with the highest mean F_β.

import { ROW_NEGATIVE, ROW_POSITIVE } from '../labels/instancePresence.js';
import { timesOf } from '../metrics/classCounts.js';
import { IS_PRESENT, ROW_SHIFT, scoreOfEntry } from '../metrics/rankedClasses.js';
import { fBeta } from '../metrics/rates.js';
import type { Limit } from './budget.js';
import { type DecisionRows, type DecisionSample, rowsByScore } from './decisionRows.js';

// Means that differ by less count as equal.
const EQUAL_WITHIN = 1e-12;

/** Each row's highest probability, which a shared threshold is compared with, and the rows sorted by it, highest first. */
export interface HighestScores {
  readonly highest: Float64Array;
  readonly byHighest: Uint32Array;
}

/** Computes and sorts the highest scores. */
export function highestScores({ scores, rows, classNames }: DecisionRows): HighestScores {
  const highest = new Float64Array(rows);
  for (let i = 0, row = 0; row < rows; row++) {
    for (let j = 0; j < classNames.length; j++, i++)
      if (scores[i]! > highest[row]!) highest[row] = scores[i]!;
  }
  return { highest, byHighest: rowsByScore(highest) };
}

/**
 * Searches all thresholds above `floor` at which a true positive or a found row is added; lower thresholds in between
 * only add false positives. Among equals, returns the largest. Returns Infinity, which predicts nothing, if the budget
 * allows no more, and undefined if it does not even allow that.
 */
export function searchShared(
  sample: DecisionSample,
  highestScores: HighestScores,
  limit: Limit,
  beta: number,
  floor: number,
): number | undefined {
  const { rows, multiplicities, totals } = sample;
  const { highest, byHighest } = highestScores;
  const meanFBeta = fallingThreshold(sample, beta);
  const outcomes = { falseAlarms: 0, missed: totals.positives };
  let best = limit.within(0, totals.positives) ? { threshold: Number.POSITIVE_INFINITY, mean: 0 } : undefined;
  let predicted = 0;
  for (const threshold of candidateThresholds(sample, highestScores)) {
    if (threshold <= floor) break;
    for (; predicted < rows.rows && highest[byHighest[predicted]!]! >= threshold; predicted++) {
      const row = byHighest[predicted]!;
      if (rows.rowKinds[row] === ROW_NEGATIVE) outcomes.falseAlarms += multiplicities[row]!;
      if (rows.rowKinds[row] === ROW_POSITIVE) outcomes.missed -= multiplicities[row]!;
    }
    const mean = meanFBeta(threshold);
    const isBetter = best === undefined || mean > best.mean + EQUAL_WITHIN;
    if (isBetter && limit.within(outcomes.falseAlarms, outcomes.missed)) best = { threshold, mean };
  }
  return best?.threshold;
}

/** Returns a function for the mean F_β at a threshold; each call's threshold must not exceed the previous one's. */
function fallingThreshold(
  { rows, multiplicities }: DecisionSample,
  beta: number,
): (threshold: number) => number {
  const classes = rows.classes.map((entries, j) => {
    const positives = timesOf(rows.columns[j]!.presentRows, multiplicities);
    let position = 0;
    let predicted = 0;
    let truePositives = 0;
    let value = 0;
    return (threshold: number): number => {
      const before = position;
      for (; position < entries.length && scoreOfEntry(rows, j, position) >= threshold; position++) {
        const times = multiplicities[entries[position]! >>> ROW_SHIFT]!;
        predicted += times;
        if (entries[position]! & IS_PRESENT) truePositives += times;
      }
      if (position === before) return value;
      const falsePositives = predicted - truePositives;
      value = fBeta({ truePositives, falsePositives, falseNegatives: positives - truePositives }, beta);
      return value;
    };
  });
  return (threshold) => classes.reduce((sum, valueAt) => sum + valueAt(threshold), 0) / classes.length;
}

/** Returns the distinct scores of present classes and the highest scores of positive rows, in descending order. */
function candidateThresholds(
  { rows, multiplicities }: DecisionSample,
  { highest, byHighest }: HighestScores,
): Float64Array {
  const most = rows.columns.reduce((sum, { presentRows }) => sum + presentRows.length, rows.rows);
  const scores = new Float64Array(most);
  let count = 0;
  rows.columns.forEach(({ presentRows }, j) => {
    for (const row of presentRows) {
      if (multiplicities[row]! > 0) scores[count++] = rows.scores[row * rows.columns.length + j]!;
    }
  });
  for (const row of byHighest) {
    if (rows.rowKinds[row] === ROW_POSITIVE && multiplicities[row]! > 0) scores[count++] = highest[row]!;
  }
  const descending = scores.subarray(0, count).sort().reverse();
  return descending.filter((score, k) => k === 0 || score < descending[k - 1]!);
}
