import type { MeasureOptions, Threshold } from '../metrics/measurement.js';
import type { Scored } from '../metrics/scored.js';
import { type Difference, differenceOf } from './difference.js';
import {
  drawnMetrics,
  eachMetric,
  type PaperMetric,
  type PaperMetrics,
  prepareModel,
  wholeMetrics,
} from './paperMetrics.js';
import { type BootstrapOptions, checkBootstrap, drawBatches } from './replicates.js';
import { checkSameRows } from './sameRows.js';

/** A model's scores, and the threshold settings at which it is evaluated, such as 0.5 and fitted ones. */
export interface JudgedModel {
  readonly scored: Scored;
  readonly thresholds: readonly Threshold[];
}

export interface SeedBootstrapOptions extends BootstrapOptions, Omit<MeasureOptions, 'threshold'> {
  /** Called after each replicate. */
  readonly onReplicate?: () => void;
}

/** Metrics of models that differ only in their seed, at one threshold setting. */
export interface SeedReplicates {
  /** Metrics of each model. */
  readonly models: readonly PaperMetrics[];
  /** Means over the models. */
  readonly value: PaperMetrics;
  /** Means over the models in each replicate. */
  readonly replicates: readonly PaperMetrics[];
}

/**
 * Bootstraps groups of models over the rows that they were all scored on. A group is a method trained with several seeds;
 * in each replicate its metric is the mean over its models. All groups share the draws, so that differences are paired.
 *
 * The replicates show how much the metrics of *these* models depend on the rows they happened to be evaluated on; the
 * spread of `models` shows how much a method depends on the seed.
 *
 * @returns for each group, its metrics at each of its threshold settings
 *
 * @example
 * const targets = [1, 0, 0, 0, 0, 1];
 * const model = (scores: number[]) => ({
 *   scored: { scores: Float64Array.from(scores), targets, classNames: ['crack', 'roots'] },
 *   thresholds: [0.5],
 * });
 * const [[plain], [better]] = bootstrapSeeds(
 *   [
 *     [model([0.9, 0.2, 0.6, 0.1, 0.3, 0.7]), model([0.9, 0.2, 0.4, 0.1, 0.3, 0.7])],
 *     [model([0.9, 0.2, 0.4, 0.1, 0.3, 0.7]), model([0.8, 0.1, 0.3, 0.1, 0.2, 0.9])],
 *   ],
 *   { replicates: 100, seed: 1 },
 * );
 * seedDifference(plain!, better!).macroF1 // first 0.9166666666666666, second 1
 */
export function bootstrapSeeds(
  groups: readonly (readonly JudgedModel[])[],
  options: SeedBootstrapOptions = {},
): SeedReplicates[][] {
  const { replicates, seed } = checkBootstrap(options);
  checkGroups(groups);
  const prepared = groups.map((group) =>
    group.map(({ scored, thresholds }) => prepareModel(scored, thresholds, options)),
  );
  const values = prepared.map((group) => bySetting(group.map(wholeMetrics)));
  const drawn = prepared.map((group): PaperMetrics[][] => group[0]!.settings.map(() => []));
  for (const batch of drawBatches(prepared[0]![0]!.settings[0]!.ranked, replicates, seed)) {
    const measured = prepared.map((group) => group.map((model) => drawnMetrics(model, batch)));
    for (let d = 0; d < batch.draws.length; d++) {
      measured.forEach((group, g) => {
        bySetting(group.map((model) => model[d]!)).forEach((models, setting) => {
          drawn[g]![setting]!.push(meanMetrics(models));
        });
      });
      options.onReplicate?.();
    }
  }
  return values.map((settings, g) =>
    settings.map((models, setting) => ({
      models,
      value: meanMetrics(models),
      replicates: drawn[g]![setting]!,
    })),
  );
}

/**
 * Joins several groups from the same call into one; each is weighted by its number of models.
 *
 * @example
 * const ofSeeds = bootstrapSeeds([[first], [second], [third]]).map(([atHalf]) => atHalf!);
 * joinSeeds(ofSeeds.slice(0, 2)).value.mAP // the mean over the first and second models
 */
export function joinSeeds(groups: readonly SeedReplicates[]): SeedReplicates {
  const first = groups[0];
  if (first === undefined) throw new RangeError('there is no group to join; expected one or more');
  for (const { replicates } of groups) checkReplicates(first.replicates, replicates);
  const models = groups.flatMap((group) => group.models);
  const each = (of: (group: SeedReplicates) => PaperMetrics) =>
    meanMetrics(groups.flatMap((group) => group.models.map(() => of(group))));
  return {
    models,
    value: meanMetrics(models),
    replicates: first.replicates.map((_, draw) => each(({ replicates }) => replicates[draw]!)),
  };
}

/**
 * Returns by how much the second group's metrics exceed the first group's, with percentile intervals.
 *
 * @example
 * seedDifference(plain, better).mAP?.low // above 0 if the second method ranks better on nearly every draw
 */
export function seedDifference(
  first: SeedReplicates,
  second: SeedReplicates,
  confidence = 0.95,
): Record<PaperMetric, Difference | null> {
  checkReplicates(first.replicates, second.replicates);
  return eachMetric((metric) =>
    differenceOf(
      first.value[metric],
      second.value[metric],
      first.replicates.map((one, i) => [one[metric], second.replicates[i]![metric]]),
      confidence,
    ),
  );
}

/** Transposes [model][setting] to [setting][model]. */
function bySetting(models: readonly (readonly PaperMetrics[])[]): PaperMetrics[][] {
  return models[0]!.map((_, setting) => models.map((settings) => settings[setting]!));
}

function meanMetrics(models: readonly PaperMetrics[]): PaperMetrics {
  return eachMetric((metric) => {
    let sum = 0;
    for (const model of models) {
      const value = model[metric];
      if (value === null) return null;
      sum += value;
    }
    return sum / models.length;
  });
}

function checkReplicates(first: readonly PaperMetrics[], second: readonly PaperMetrics[]): void {
  if (first.length === second.length) return;
  throw new RangeError(
    `one group has ${first.length} replicates, another ${second.length}; expected groups from one call`,
  );
}

function checkGroups(groups: readonly (readonly JudgedModel[])[]): void {
  const first = groups[0]?.[0];
  if (first === undefined) throw new RangeError('there is no group of models; expected one or more');
  groups.forEach((group, g) => {
    const settings = group[0]?.thresholds.length ?? 0;
    if (settings === 0) throw new RangeError(`group ${g} has no model, or no thresholds to evaluate it at`);
    for (const { scored, thresholds } of group) {
      checkSameRows(first.scored, scored);
      if (thresholds.length !== settings) {
        throw new RangeError(
          `group ${g} has models with ${settings} and with ${thresholds.length} threshold settings; expected the same number for each`,
        );
      }
    }
  });
}
