// Tests whether the values of a sweep differ at all: there is no point in recommending a value that is no
// better than the others.

import { bootstrapSeeds } from '@anyclass/core';
import { counted } from '../errors/counted.js';
import { cellText } from '../tables/cellText.js';
import { percent } from '../tables/percent.js';
import { alignedModels, mismatch } from './alignedModels.js';
import { crossFitted } from './decidedRun.js';
import { type DecisionChoice, decisionPhrase } from './decisionText.js';
import { heldDifferences } from './methodDifferences.js';
import type { Run, ScoredImages } from './readRuns.js';
import { sharedSeeds } from './sweep.js';
import type { Recommendation, SweepPoint, ValueDifference } from './sweepResult.js';

export interface SweepTestOptions {
  readonly replicates: number;
  /** How the values were decided. */
  readonly decision: DecisionChoice;
  /** Confidence level of all intervals together; default 0.95. */
  readonly confidence?: number;
  readonly onDraw?: () => void;
}

/**
 * Tests the recommended value against all others, including the standard loss, by validation F1 at the
 * decision, and adds the differences to the recommendation. If every interval contains 0, no value is recommended: the choice
 * does not matter, or the runs cannot tell. The intervals come from a paired bootstrap over the images with their
 * cross-fitted labels, widened for the number of comparisons (Bonferroni): the best of many equal values
 * looks better than the others by chance. The test split is not used.
 *
 * @example
 * await testValues(recommendation, points, runs, 'λ', { decision: comparison.decision, replicates: 1000 })
 * // { reason: 'The choice of λ does not matter here: …', matters: false, differences: […] }
 */
export async function testValues(
  recommendation: Recommendation,
  points: readonly SweepPoint[],
  runs: readonly Run[],
  title: string,
  { replicates, decision, confidence = 0.95, onDraw }: SweepTestOptions,
): Promise<Recommendation> {
  const best = points.findIndex(({ value }) => value === recommendation.value);
  if (best < 0 || points.length < 2 || replicates === 0) return recommendation;
  const seeds = sharedSeeds(points);
  const groups = await Promise.all(points.map((point) => modelsOf(point, seeds, runs, decision)));
  const problem = firstMismatch(groups.flat());
  if (problem !== undefined) return { reason: `No ${title} is recommended: ${problem}` };
  const drawn = bootstrapSeeds(
    alignedModels(groups).flatMap((group) => group.map((model) => [model])),
    { replicates, ...(onDraw && { onReplicate: onDraw }) },
  );
  const side = (at: number) => ({
    seeds,
    replicates: seeds.map((_, i) => drawn[at * seeds.length + i]![0]!),
  });
  const each = 1 - (1 - confidence) / (points.length - 1);
  const differences = points.flatMap(({ value }, at): ValueDifference[] => {
    const f1 = at === best ? null : heldDifferences(side(at), side(best), each).macroF1;
    return f1 === null ? [] : [{ value, f1 }];
  });
  const nameOf = (value: number | null) =>
    value === null ? (points.find((point) => point.value === null)?.metrics.shortLabel ?? '') : String(value);
  const where = decisionPhrase(decision);
  return withDifferences(recommendation, differences, { title, where, confidence, nameOf });
}

/** Few users care about a possible gain in F1 up to this size. */
export const smallGain = 0.02;

interface DifferenceWords {
  readonly title: string;
  /** For example, 'at 5% false alarms'. */
  readonly where: string;
  readonly confidence: number;
  readonly nameOf: (value: number | null) => string;
}

/** Adds the differences to a recommendation, or withdraws it if none holds. */
function withDifferences(
  { value = null, reason }: Recommendation,
  differences: readonly ValueDifference[],
  { title, where, confidence, nameOf }: DifferenceWords,
): Recommendation {
  const same = differences.filter(({ f1 }) => f1.holds === 'unclear');
  if (same.length < differences.length) {
    const names = same.map((each) => nameOf(each.value)).join(', ');
    const equals = same.length > 0 ? `; F1 at ${names} does not differ from it` : '';
    return { value, reason: reason + equals, matters: true, differences };
  }
  const largest = differences.reduce((a, b) => (Math.abs(b.f1.value) > Math.abs(a.f1.value) ? b : a));
  const { value: most, low, high, second } = largest.f1;
  // Runs that find nothing are equal, but that says nothing about the values.
  if (second === 0 && most === 0)
    return {
      matters: null,
      differences,
      reason: `No ${title} can be recommended: F1 ${where} is 0 on validation for every value; train longer, or on more data`,
    };
  const range = cellText({ value: most, interval: { low, high } }, { title: 'F1', kind: 'difference' });
  const hidden = Math.max(...differences.map(({ f1 }) => Math.max(-f1.low, f1.high)));
  const matters = hidden <= smallGain ? false : null;
  const verdict =
    matters === false
      ? `The choice of ${title} does not matter here`
      : `The runs cannot tell the values of ${title} apart`;
  const advice =
    matters === false
      ? ''
      : `. The noise may hide ${(100 * hidden).toFixed(1)} points: train more seeds, or validate on more data`;
  return {
    matters,
    differences,
    reason: `${verdict}: no other value's validation F1 ${where} differs from the ${percent(second)} at ${nameOf(value)}; the largest difference is ${range} points, from ${nameOf(largest.value)} (${Math.round(100 * confidence)}% intervals, widened for ${counted(differences.length, 'comparison')})${advice}`,
  };
}

interface ValidationModel {
  readonly folder: string;
  readonly scored: ScoredImages;
  readonly validation: ScoredImages;
  readonly thresholds: readonly number[];
}

async function modelsOf(
  { metrics }: SweepPoint,
  seeds: readonly number[],
  runs: readonly Run[],
  decision: DecisionChoice,
): Promise<ValidationModel[]> {
  const wanted = metrics.folders.filter((_, i) => seeds.includes(metrics.seeds[i]!));
  return Promise.all(
    wanted.map(async (folder) => {
      const scored = await runs.find((run) => run.folder === folder)?.scores('validation');
      const labels = scored && crossFitted(scored, decision);
      if (!labels) throw new RangeError(`${folder}: has no validation scores to cross-fit a decision on`);
      return { folder, scored: labels, validation: labels, thresholds: [0.5] };
    }),
  );
}

function firstMismatch([first, ...others]: readonly ValidationModel[]): string | undefined {
  for (const other of others) {
    const reason = mismatch(first!, other);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
