// Prediction in a page: image files in, probabilities, labels and heat maps out.

import {
  applyDecision,
  calibrate,
  createGuard,
  guardedOutcome,
  type OddReason,
  type Outcome,
  pixelStatistics,
  presenceProbability,
  presenceScores,
  sigmoid,
} from '@anyclass/core';
import { type DownloadListener, download } from './download.js';
import { checkModel, type ExportedModel } from './exportedModel.js';
import { type HeatMap, heatMapOf } from './heatMap.js';
import { decodeImage } from './images/decodeImage.js';
import { normalizePixels } from './normalizePixels.js';
import { type Backend, type OnnxRuntime, openSession } from './onnxRuntime.js';

/** The prediction for one image, by class name, and how it was decided. */
export interface Prediction {
  /** Classes that the decision predicts; none means negative. */
  readonly labels: readonly string[];
  /** Review only if the decision limits missed positives too, or if the image is odd. */
  readonly outcome: Outcome;
  /** Why the model's guard calls the image odd; omitted for a usual one. */
  readonly odd?: OddReason;
  readonly isNegative: boolean;
  /** Calibrated if training found that calibration helps. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** The probability that any class is present, the minimum that passes the gate, and whether the image passes. */
  readonly presence: { readonly probability: number; readonly gate: number; readonly passes: boolean };
  /** The minimum probability for each class to be predicted if the image passes the gate; null for never. */
  readonly thresholds: Readonly<Record<string, number | null>>;
  /** Heat maps by class; undefined if the file was exported without `cam`. */
  readonly heatMaps: Readonly<Record<string, HeatMap>> | undefined;
}

export interface Predictor {
  readonly model: ExportedModel;
  readonly backend: Backend;
  /** Why preferred backends are not used. */
  readonly remarks: readonly string[];
  readonly hasHeatMaps: boolean;
  /** @throws Error if the browser cannot decode the file */
  predict(file: Blob): Promise<Prediction>;
  close(): Promise<void>;
}

export interface PredictorOptions {
  /** onnxruntime-web. Default: `import('onnxruntime-web/webgpu')`, for bundlers. */
  readonly runtime?: OnnxRuntime;
  /** Tried in this order. Default WebGPU, then WebAssembly. */
  readonly backends?: readonly Backend[];
  /** Address of the configuration. Default: config.json next to the model. */
  readonly config?: string | URL;
  readonly onProgress?: DownloadListener;
}

/**
 * Opens a model that `anyclass export` wrote.
 *
 * @throws Error if it cannot be loaded, is not such a model, or no backend can run it
 *
 * @example
 * const predictor = await openPredictor('model/model.onnx');
 * const { labels } = await predictor.predict(file); // ['crack']
 */
export async function openPredictor(
  modelAddress: string | URL,
  options: PredictorOptions = {},
): Promise<Predictor> {
  const { backends = ['webgpu', 'wasm'], onProgress } = options;
  const address = new URL(modelAddress, document.baseURI);
  const config = options.config ? new URL(options.config, document.baseURI) : new URL('config.json', address);
  const model: unknown = JSON.parse(new TextDecoder().decode(await download(config)));
  checkModel(model, config.href);
  const runtime = options.runtime ?? (await import('onnxruntime-web/webgpu'));
  const bytes = await download(address, onProgress);
  const { session, backend, remarks } = await openSession(runtime, bytes, model, backends);
  const { width, height } = model.preprocessing;
  const hasHeatMaps = session.outputNames.includes('cam');
  const oddReason = model.guard && createGuard(model.guard);
  const outputNames = [
    'logits',
    ...(hasHeatMaps ? ['cam'] : []),
    ...(model.guard?.training ? ['embedding'] : []),
  ];
  // A session computes one image at a time.
  let earlier: Promise<unknown> = Promise.resolve();
  const score = (pixels: Uint8Array) => {
    const values = normalizePixels(pixels, model.preprocessing);
    const input = new runtime.Tensor('float32', values, [1, 3, height, width]);
    const outputs = earlier.then(() => session.run({ pixel_values: input }, outputNames));
    earlier = outputs.catch(() => {});
    return outputs;
  };

  return {
    model,
    backend,
    remarks,
    hasHeatMaps,
    async predict(file) {
      const pixels = await decodeImage(file, model.preprocessing);
      const { logits, cam, embedding } = await score(pixels);
      if (!(logits?.data instanceof Float32Array))
        throw new Error(`${address} does not return float32 logits`);
      const maps = cam?.data instanceof Float32Array ? { data: cam.data, shape: cam.dims } : undefined;
      const answer = decided(logits.data, model);
      const odd = oddReason?.(
        pixelStatistics(pixels, model.preprocessing.channels),
        embedding?.data instanceof Float32Array ? embedding.data : undefined,
      );
      return {
        ...answer,
        outcome: guardedOutcome(answer.outcome, odd),
        ...(odd !== undefined && { odd }),
        heatMaps: maps && heatMaps(maps, model),
      };
    },
    close: () => session.release(),
  };
}

/** Decides like Node's package: probabilities in float32, thresholds compared in float64. */
function decided(
  logits: Float32Array,
  { classes, calibration, decision }: ExportedModel,
): Omit<Prediction, 'heatMaps'> {
  const raw = logits.map((logit) => sigmoid(logit));
  const values = calibration ? Float32Array.from(calibrate(raw, classes, calibration)) : raw;
  // Presence is that before calibration if the decision was fitted so.
  const {
    labels: isPredicted,
    presence,
    outcomes,
  } = applyDecision(Float64Array.from(values), decision, {
    presence:
      decision.presenceFrom === 'given' ? presenceScores(Float64Array.from(raw), classes.length) : undefined,
  });
  const labels = classes.filter((_, j) => isPredicted[j] === 1);
  const score = presence[0]!;
  return {
    labels,
    outcome: outcomes[0]!,
    isNegative: labels.length === 0,
    probabilities: byClass(classes, (j) => values[j]!),
    presence: {
      probability: presenceProbability(score),
      gate: decision.presence === null ? 1 : presenceProbability(decision.presence),
      passes: decision.presence !== null && score >= decision.presence,
    },
    thresholds: byClass(classes, (j) => decision.thresholds[j] ?? null),
  };
}

function heatMaps(
  { data, shape }: { readonly data: Float32Array; readonly shape: readonly number[] },
  { classes }: ExportedModel,
): Record<string, HeatMap> {
  return byClass(classes, (j) => heatMapOf(data, shape, j));
}

function byClass<Value>(classes: readonly string[], entry: (j: number) => Value): Record<string, Value> {
  return Object.fromEntries(classes.map((name, j) => [name, entry(j)]));
}
