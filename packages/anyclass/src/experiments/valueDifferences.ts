// Whether the values of a sweep differ at all: a recommended value that is no better than the others is no recommendation.

import { bootstrapSeeds } from '@anyclass/core';
import { cellText } from '../tables/cellText.js';
import { percent } from '../tables/percent.js';
import { alignedModels, mismatch } from './alignedModels.js';
import type { HeldDifference } from './comparison.js';
import { heldDifferences } from './methodDifferences.js';
import type { Run, ScoredImages } from './readRuns.js';
import { type Recommendation, type SweepPoint, sharedSeeds } from './sweep.js';

export interface SweepTestOptions {
  readonly replicates: number;
  /** Of all intervals together; default 0.95. */
  readonly confidence?: number;
  readonly onDraw?: () => void;
}

/** By how much the best value's F1 on validation exceeds that of another. */
export interface ValueDifference {
  readonly value: number;
  readonly f1: HeldDifference;
}

/**
 * The recommendation, with the differences between the recommended value and all others in validation F1. Where every interval
 * holds 0, no value is recommended, for the choice does not matter. The intervals are those of a paired bootstrap over the
 * images, widened for the number of values (Bonferroni): the best of many equal values looks better than the others by chance.
 *
 * @example
 * await testValues(recommendation, points, runs, 'λ', { replicates: 1000 })
 * // { reason: 'The choice of λ does not matter here: …', matters: false, differences: […] }
 */
export async function testValues(
  recommendation: Recommendation,
  points: readonly SweepPoint[],
  runs: readonly Run[],
  title: string,
  { replicates, confidence = 0.95, onDraw }: SweepTestOptions,
): Promise<Recommendation> {
  const candidates = points.filter(({ value }) => value !== null);
  const best = candidates.findIndex(({ value }) => value === recommendation.value);
  if (best < 0 || candidates.length < 2 || replicates === 0) return recommendation;
  const seeds = sharedSeeds(points);
  const groups = await Promise.all(candidates.map((point) => modelsOf(point, seeds, runs)));
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
  const each = 1 - (1 - confidence) / (candidates.length - 1);
  const differences = candidates.flatMap(({ value }, at): ValueDifference[] => {
    const f1 = at === best ? null : heldDifferences(side(at), side(best), each).macroF1;
    return value === null || f1 === null ? [] : [{ value, f1 }];
  });
  return withDifferences(recommendation, differences, title, confidence);
}

/** What the differences say of a recommendation. */
export function withDifferences(
  { value, reason }: Recommendation,
  differences: readonly ValueDifference[],
  title: string,
  confidence: number,
): Recommendation {
  const same = differences.filter(({ f1 }) => f1.holds === 'unclear');
  if (same.length < differences.length) {
    const equals =
      same.length > 0 ? `; F1 at ${same.map((each) => each.value).join(', ')} does not differ from it` : '';
    return { value: value ?? null, reason: reason + equals, matters: true, differences };
  }
  const largest = differences.reduce((a, b) => (Math.abs(b.f1.value) > Math.abs(a.f1.value) ? b : a));
  const { value: most, low, high, second } = largest.f1;
  const range = cellText({ value: most, interval: { low, high } }, { title: 'F1', kind: 'difference' });
  return {
    matters: false,
    differences,
    reason: `The choice of ${title} does not matter here: no other value's validation F1 differs from the ${percent(second)} at ${value}; the largest difference is ${range} points, to ${largest.value} (${Math.round(100 * confidence)}% intervals, widened for ${differences.length} ${differences.length === 1 ? 'comparison' : 'comparisons'})`,
  };
}

interface ValidationModel {
  readonly folder: string;
  readonly scored: ScoredImages;
  readonly validation: ScoredImages;
  readonly thresholds: readonly number[];
}

async function modelsOf(
  { figures }: SweepPoint,
  seeds: readonly number[],
  runs: readonly Run[],
): Promise<ValidationModel[]> {
  const wanted = figures.folders.filter((_, i) => seeds.includes(figures.seeds[i]!));
  return Promise.all(
    wanted.map(async (folder) => {
      const scored = await runs.find((run) => run.folder === folder)?.scores('validation');
      if (!scored) throw new RangeError(`${folder}: has no scores of validation`);
      return { folder, scored, validation: scored, thresholds: [0.5] };
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
