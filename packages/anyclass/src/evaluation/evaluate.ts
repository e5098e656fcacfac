// A model judged on a dataset.

import type { Scored } from '@anyclass/core';
import { openPixels } from '../data/cache/openCache.js';
import { type Dataset, type SplitName, splitNames } from '../data/dataset.js';
import { type OpenOptions, openDataset } from '../data/openDataset.js';
import { UserError } from '../errors/userError.js';
import type { Judgment } from '../events/judgment.js';
import type { RunEventListener } from '../events/runEvent.js';
import type { Quarantined } from '../events/runSummary.js';
import { type ComputeWishes, chooseCompute, moveNetwork } from '../inference/computeDevice.js';
import { scoreRows } from '../inference/scoreRows.js';
import { createScorer, probabilities } from '../inference/scorer.js';
import { loadModel, type ModelDescription } from '../runs/modelFile.js';
import { type JudgeOptions, judge } from './judge.js';

export interface EvaluateOptions
  extends Partial<Pick<ComputeWishes, 'device' | 'precision'>>,
    Pick<JudgeOptions, 'replicates' | 'confidence'> {
  /** Default: the test split where it has labels, else validation. */
  readonly split?: SplitName | undefined;
  readonly batchSize?: number;
  /** How the dataset is read. */
  readonly open?: OpenOptions;
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
  const { device = 'auto', precision = 'auto', batchSize = 64, cache, onEvent } = options;
  const { network: loaded, description } = loadModel(model);
  using network = loaded;
  const dataset = await openDataset(spec, options.open ?? {});
  try {
    checkClasses(description, dataset);
    const split = options.split ?? labeledSplit(dataset);
    const rows = dataset.splits[split];
    if (!hasLabels(dataset, split)) throw new UserError(`${dataset.name}: the split ${split} has no labels`);
    const settings = chooseCompute({ device, precision });
    moveNetwork(network, settings.device);
    const { channels, mean, std } = description;
    const scorer = createScorer(network, { ...settings, batchSize, channels, mean, std });
    const { pixels } = await openPixels(dataset, scorer.format, cache);
    const result = await scoreRows(scorer, dataset, pixels, {
      rows,
      batchSize,
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

function checkClasses({ classes }: ModelDescription, dataset: Dataset): void {
  if (classes.join('\n') === dataset.classes.join('\n')) return;
  throw new UserError(
    `the model knows the classes ${classes.join(', ')}; ${dataset.name} has ${dataset.classes.join(', ')}`,
  );
}

function labeledSplit(dataset: Dataset): SplitName {
  return (
    (['test', 'validation', 'train'] as const).find((split) => hasLabels(dataset, split)) ?? splitNames[0]
  );
}

function hasLabels({ splits, labels }: Dataset, split: SplitName): boolean {
  return splits[split].some((row) => labels.presence(row) !== 'unknown');
}
