// Checks that a model predicts as well in a lower precision, by evaluating both on the same validation
// images.

import { measure, type Scored } from '@anyclass/core';
import { openOptions } from '../../../configuration/openOptions.js';
import { openInputs } from '../../../data/batches/openInputs.js';
import { type Dataset, instanceWord } from '../../../data/dataset/dataset.js';
import { chooseSubset } from '../../../data/splits/subset.js';
import { UserError } from '../../../errors/userError.js';
import { type ReadingSettings, readingFor } from '../../../evaluation/runSettings.js';
import type { RunEventListener } from '../../../events/runEvent.js';
import { type ModelScorer, openModelScorer } from '../../../inference/modelScorer.js';
import type { OnnxPrecision } from '../../../inference/onnx/exportedModel.js';
import { openForModel } from '../../../inference/openForModel.js';
import { scoreRows } from '../../../inference/scoreRows.js';
import { probabilities } from '../../../inference/scorer.js';
import { calibratedScores } from '../../../runs/calibratedScores.js';

/** The largest accepted loss of mAP, from 0 to 1. */
const tolerances: Readonly<Record<Exclude<OnnxPrecision, 'float32'>, number>> = {
  float16: 0.0005,
  int8: 0.005,
};

const batchSize = 32;

export interface JudgePrecisionOptions {
  /** Data whose validation split is used. Default: the data of the model's run. */
  readonly data?: ReadingSettings | undefined;
  /** Maximum number of images; default 2,000. */
  readonly judgedImages?: number | undefined;
  readonly onEvent?: RunEventListener | undefined;
}

export interface PrecisionJudgment {
  readonly images: number;
  /** mAP of the exported file. */
  readonly mAP: number;
  /** mAP of the model in float32. */
  readonly float32: number;
}

/**
 * Evaluates an exported file against the model that it was made from.
 *
 * @throws UserError if its mAP is lower by more than 0.05 points (float16) or 0.5 points (int8)
 *
 * @example
 * await judgePrecision('model.onnx', 'runs/sewer', 'float16') // { images: 2000, mAP: 0.3121, float32: 0.3121 }
 */
export async function judgePrecision(
  file: string,
  model: string,
  precision: Exclude<OnnxPrecision, 'float32'>,
  { data = readingFor(model), judgedImages = 2000, onEvent }: JudgePrecisionOptions = {},
): Promise<PrecisionJudgment> {
  if (!data)
    throw new UserError(
      `${model} is a model file without data, but ${precision} is evaluated on validation images; give the dataset or the model's run folder`,
    );
  using exported = await openModelScorer(file, { device: 'cpu', batchSize });
  using original = await openModelScorer(model, { device: 'cpu', precision: 'float32', batchSize });
  const dataset = await openForModel(data.dataset, openOptions(data), exported.description);
  try {
    const rows = judgedRows(dataset, judgedImages);
    let done = 0;
    const score = async (scorer: ModelScorer) => {
      const scored = await scoredValidation(scorer, dataset, rows, (count) =>
        onEvent?.({
          type: 'progress',
          task: 'scoring',
          done: done + count,
          total: 2 * rows.length,
          unit: `${instanceWord(dataset)}s`,
        }),
      );
      done += rows.length;
      return measure(scored).mAP;
    };
    const [mAP, float32] = [await score(exported), await score(original)];
    if (mAP === null || float32 === null)
      throw new UserError(
        `${dataset.name}: no class has positives in the validation split, so there is nothing to evaluate`,
      );
    if (float32 - mAP > tolerances[precision])
      throw new UserError(
        `${precision} costs ${points(float32 - mAP)} points of mAP on ${rows.length} validation ${instanceWord(dataset)}s ` +
          `(${points(float32)} in float32, ${points(mAP)} exported); the limit is ${points(tolerances[precision])}, so the file was deleted`,
      );
    return { images: rows.length, mAP, float32 };
  } finally {
    await dataset.images.close();
  }
}

function judgedRows(dataset: Dataset, most: number): Int32Array {
  const rows = dataset.splits.validation.filter((row) => dataset.labels.isLabeled(row));
  if (rows.length === 0)
    throw new UserError(`${dataset.name}: the validation split has no labels to evaluate on`);
  return rows.length <= most ? rows : chooseSubset(rows, dataset.labels, { instances: most });
}

async function scoredValidation(
  { scorer, description, batchSize }: ModelScorer,
  dataset: Dataset,
  rows: Int32Array,
  onProgress: (done: number) => void,
): Promise<Scored> {
  const { inputs } = await openInputs(dataset, scorer.format, undefined);
  const { logits, targets } = await scoreRows(scorer, dataset, inputs, {
    rows,
    batchSize,
    onProgress,
  }).finally(() => inputs.close());
  const raw = { scores: probabilities(logits), targets, classNames: dataset.classes, split: 'validation' };
  return calibratedScores(raw, description.calibration);
}

function points(share: number): string {
  return (100 * share).toFixed(2);
}
