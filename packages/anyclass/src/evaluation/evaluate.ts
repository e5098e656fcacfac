// A model judged on a dataset.

import type { Scored } from '@anyclass/core';
import { openOptions } from '../configuration/openOptions.js';
import { openPixels } from '../data/cache/openCache.js';
import { type Dataset, type SplitName, splitNames } from '../data/dataset.js';
import { type OpenOptions, openDataset } from '../data/openDataset.js';
import { changedPreparation, type PreparationChanges } from '../data/preparation.js';
import { UserError } from '../errors/userError.js';
import type { Judgment } from '../events/judgment.js';
import type { RunEventListener } from '../events/runEvent.js';
import type { Quarantined } from '../events/runSummary.js';
import { type ComputeWishes, chooseCompute, moveNetwork } from '../inference/computeDevice.js';
import { scoreRows } from '../inference/scoreRows.js';
import { createScorer, probabilities } from '../inference/scorer.js';
import { loadModel } from '../runs/modelFile.js';
import { type JudgeOptions, judge } from './judge.js';
import { runData, sharedSettings } from './runSettings.js';

export interface EvaluateOptions
  extends Partial<Pick<ComputeWishes, 'device' | 'precision'>>,
    Pick<JudgeOptions, 'replicates' | 'confidence'> {
  /** Default: the test split where it has labels, else validation. */
  readonly split?: SplitName | undefined;
  readonly batchSize?: number;
  /** How the dataset is read; default as the run of the model read its own. The classes are always the model's. */
  readonly open?: OpenOptions;
  /** In place of how the model's training prepared images. */
  readonly preparation?: PreparationChanges;
  /** An unreadable image is an error. Default false: it is left out. */
  readonly strict?: boolean;
  /** Folder of prepared images. */
  readonly cache?: string | undefined;
  readonly onEvent?: RunEventListener;
}

export interface Evaluation {
  readonly judgment: Judgment;
  readonly scored: Scored;
  /** By row of `scored`. */
  readonly names: readonly string[];
  readonly quarantined: readonly Quarantined[];
}

/**
 * Judges a model (its file, or the folder of its run) on a split of a dataset, at 0.5 and, unless they were fitted there,
 * at the thresholds that the model brings.
 *
 * @example
 * const { judgment } = await evaluate('runs/digits', 'digits', { split: 'test' });
 * judgment.metrics.mAP
 */
export async function evaluate(
  model: string,
  spec: string,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  const { device = 'auto', precision = 'auto', batchSize = 64, strict = false, cache, onEvent } = options;
  const { network: loaded, description } = loadModel(model);
  using network = loaded;
  const preparation = changedPreparation(description, options.preparation ?? {});
  const open = options.open ?? usualReading(model, spec);
  const dataset = await openDataset(spec, { ...open, keep: description.classes, drop: [] });
  try {
    const split = options.split ?? labeledSplit(dataset);
    const rows = dataset.splits[split];
    if (!hasLabels(dataset, split)) throw new UserError(`${dataset.name}: the split ${split} has no labels`);
    const settings = chooseCompute({ device, precision });
    moveNetwork(network, settings.device);
    const scorer = createScorer(network, { ...settings, ...preparation, batchSize });
    const { pixels } = await openPixels(dataset, scorer.format, cache);
    const result = await scoreRows(scorer, dataset, pixels, {
      rows,
      batchSize,
      strict,
      onProgress: (done) =>
        onEvent?.({ type: 'progress', task: 'scoring', done, total: rows.length, unit: 'images' }),
    }).finally(() => pixels.close());
    const scored = {
      scores: probabilities(result.logits),
      targets: result.targets,
      classNames: dataset.classes,
      split,
    };
    const { thresholds, calibration } = description;
    const isElsewhere = thresholds?.fittedOn !== split;
    return {
      judgment: judge(scored, {
        ...(isElsewhere && { thresholds, calibration }),
        classImportance: dataset.classImportance ?? description.classImportance,
        replicates: options.replicates,
        confidence: options.confidence,
      }),
      scored,
      names: Array.from(result.rows, (row) => dataset.names.at(row)),
      quarantined: result.quarantined,
    };
  } finally {
    await dataset.images.close();
  }
}

/** As the run of the model read its own data. */
function usualReading(model: string, spec: string): OpenOptions {
  const data = runData(model);
  return data ? openOptions({ ...sharedSettings(data), dataset: spec }) : {};
}

function labeledSplit(dataset: Dataset): SplitName {
  return (
    (['test', 'validation', 'train'] as const).find((split) => hasLabels(dataset, split)) ?? splitNames[0]
  );
}

function hasLabels({ splits, labels }: Dataset, split: SplitName): boolean {
  return splits[split].some((row) => labels.isLabeled(row));
}
