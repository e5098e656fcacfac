// Compares an exported file, run by onnxruntime, with the network that it was made from.

import { type Calibration, calibrate, NumpyRandom, presenceScores, sigmoid } from '@anyclass/core';
import { type nn, noGrad, tensor, tidy } from '@anyclass/torch';
import { UserError } from '../../errors/userError.js';
import type { OnnxPrecision } from '../../inference/onnx/exportedModel.js';
import { type OnnxRuntime, openSession } from '../../inference/onnx/onnxRuntime.js';

/** Batches of several sizes and the network's logits for them. */
export interface Reference {
  /** The name of the file's input, and the shape of one instance. */
  readonly inputName: string;
  readonly inputShape: readonly number[];
  readonly batches: readonly {
    readonly size: number;
    readonly images: Float32Array;
    readonly logits: Float32Array;
  }[];
}

export interface CheckReport {
  /** Largest difference from libtorch's logits. */
  readonly largestError: number;
  /** Largest magnitude of libtorch's logits. */
  readonly largestLogit: number;
  readonly batchSizes: readonly number[];
}

/**
 * The largest allowed error of a logit, relative to the largest logit. Loose for the lower precisions, which
 * are also evaluated by their predictions.
 */
const tolerances: Readonly<Record<OnnxPrecision, number>> = { float32: 1e-4, float16: 0.05, int8: 0.5 };

/** One image, and a batch size that the trace did not use. */
const batchSizes = [1, 4];

/**
 * Computes the logits of a network for noise images, which are the same each time.
 *
 * @example
 * const reference = referenceLogits(network, [3, 224, 224]);
 */
export function referenceLogits(network: nn.Layer, inputShape: readonly number[]): Reference {
  const inputName = inputShape.length === 1 ? 'features' : 'pixel_values';
  const numbers = inputShape.reduce((product, size) => product * size, 1);
  const random = new NumpyRandom(1);
  const batches = batchSizes.map((size) => {
    // In the range of normalized pixels.
    const images = Float32Array.from({ length: size * numbers }, () => 4 * random.random() - 2);
    const logits = tidy(() => {
      const input = tensor(images, { shape: [size, ...inputShape] });
      return noGrad(() => network.forward(input)).toFloat32Array();
    });
    return { size, images, logits };
  });
  return { inputName, inputShape, batches };
}

/**
 * Runs an exported file and compares its logits with the network's, and its probabilities and presence scores
 * with those that core computes from the file's logits.
 *
 * @throws UserError if they differ
 *
 * @example
 * (await checkExport('model.onnx', reference, { precision: 'float32' })).largestError // 2.1e-7
 */
export async function checkExport(
  path: string,
  { inputName, inputShape, batches }: Reference,
  {
    precision,
    calibration,
  }: { readonly precision: OnnxPrecision; readonly calibration?: Calibration | undefined },
): Promise<CheckReport> {
  const { runtime, session } = await openSession(path);
  let largestError = 0;
  let largestLogit = 0;
  try {
    for (const { size, images, logits } of batches) {
      const input = new runtime.Tensor('float32', images, [size, ...inputShape]);
      const outputs = await session.run({ [inputName]: input });
      const given = floatsOf(outputs['logits'], 'logits', runtime);
      largestError = Math.max(largestError, largestDifference(given, logits, 'logits'));
      largestLogit = logits.reduce((most, logit) => Math.max(most, Math.abs(logit)), largestLogit);
      checkDerived(given, size, calibration, (name) => floatsOf(outputs[name], name, runtime));
    }
  } finally {
    await session.release();
  }
  const tolerance = tolerances[precision] * largestLogit;
  if (!(largestError <= tolerance))
    throw failed(`its logits differ from libtorch's by ${largestError}; expected at most ${tolerance}`);
  return { largestError, largestLogit, batchSizes };
}

function checkDerived(
  logits: Float32Array,
  size: number,
  calibration: Calibration | undefined,
  output: (name: string) => Float32Array,
): void {
  const classes = logits.length / size;
  const raw = logits.map(sigmoid);
  const names = Array.from({ length: classes }, (_, j) => String(j));
  const ofAnyName = calibration?.kind === 'platt' ? { ...calibration, classNames: names } : calibration;
  const expected = ofAnyName ? Float32Array.from(calibrate(raw, names, ofAnyName)) : raw;
  const probabilities = output('probabilities');
  if (!(largestDifference(probabilities, expected, 'probabilities') <= 1e-5))
    throw failed('its probabilities do not follow from its logits');
  const presence = presenceScores(Float64Array.from(raw), classes);
  const scores = output('presence_score');
  const isClose = (score: number, i: number) => {
    const row = raw.subarray(i * classes, (i + 1) * classes);
    return Math.abs(score - presence[i]!) <= 1e-4 * presence[i]! + 1e-5 + presenceRounding(row);
  };
  if (scores.length !== size || !scores.every(isClose))
    throw failed('its presence scores do not follow from its logits');
}

/**
 * Returns how far Σ log(1 - p) may be off because p is a float32: a lot if p is close to 1, infinitely if p
 * is 1. The file computes the score from logits, without this error.
 */
function presenceRounding(probabilities: Float32Array): number {
  return probabilities.reduce((sum, p) => sum + 2 ** -24 / (1 - p), 0);
}

function largestDifference(values: Float32Array, expected: Float32Array, name: string): number {
  if (values.length !== expected.length)
    throw failed(`it gives ${values.length} ${name}; expected ${expected.length}`);
  return values.reduce((most, value, i) => {
    const difference = Math.abs(value - expected[i]!);
    return Number.isNaN(difference) ? Number.POSITIVE_INFINITY : Math.max(most, difference);
  }, 0);
}

function floatsOf(value: unknown, name: string, { Tensor }: OnnxRuntime): Float32Array {
  if (value instanceof Tensor && value.data instanceof Float32Array) return value.data;
  throw failed(`it gives no ${name} of type float32`);
}

function failed(reason: string): UserError {
  return new UserError(`the exported file failed its check in onnxruntime and was deleted: ${reason}`);
}
