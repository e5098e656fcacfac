// Explains predictions of a model: images in; probabilities, labels and heat maps out.

import { guardedOutcome } from '@anyclass/core';
import { noGrad, type Tensor, tensor, tidy } from '@anyclass/torch';
import { batchWithin } from '../data/batches/batchWithin.js';
import { deviceImages, type InputBatch } from '../data/batches/deviceBatch.js';
import { takesFeatures } from '../data/dataset/inputs.js';
import { changedInput, pixelFormat, readingOf } from '../data/dataset/preparation.js';
import type { ImageReading } from '../data/dataset/reading/pixelFormat.js';
import { UserError } from '../errors/userError.js';
import { chooseCompute, inPrecision } from '../inference/computeDevice.js';
import { decideLogits } from '../inference/decideLogits.js';
import { decodedBatches } from '../inference/decodedBatches.js';
import type { ImageInput } from '../inference/imageInput.js';
import { withMemoryAdvice } from '../inference/memory.js';
import { modelDecision } from '../inference/modelDecision.js';
import { oddRowsOf } from '../inference/oddRows.js';
import type { FailedPrediction, Prediction, Predictor, PredictorOptions } from '../inference/predictor.js';
import { moveNetwork } from '../networks/moveNetwork.js';
import type { Network } from '../networks/network.js';
import { loadModel, needsEmbeddings } from '../runs/modelFile.js';
import type { HeatMap, HeatMapMethod, Target } from './heatMap.js';
import { heatMaps } from './heatMaps.js';

/** The heat map of a class, or of presence, which decides whether an image passes the gate. */
export interface ExplainedTarget {
  /** The class's name, or undefined for presence. */
  readonly className: string | undefined;
  /** The class's calibrated probability, or that any class is present. */
  readonly probability: number;
  readonly map: HeatMap;
}

export interface Explanation {
  readonly input: ImageInput;
  readonly prediction: Prediction;
  /** Presence first, then classes. */
  readonly targets: readonly ExplainedTarget[];
}

export interface ExplainOptions extends Pick<PredictorOptions, 'decision' | 'device' | 'preparation'> {
  /** Class names, and `presence`. Default: presence and the predicted classes, or the most probable class if there are none. */
  readonly targets?: readonly string[] | undefined;
  /** Default `auto`; see `heatMaps`. */
  readonly method?: HeatMapMethod | 'auto' | undefined;
  /** Images per batch. Default 8. */
  readonly batchSize?: number | undefined;
}

export interface Explainer extends Disposable, Pick<Predictor, 'description' | 'decision' | 'remarks'> {
  /** How image files are read, for showing them as the model sees them. */
  readonly reading: ImageReading;
  /** Explanations in the order of the images. */
  explain(
    inputs: Iterable<ImageInput> | AsyncIterable<ImageInput>,
  ): AsyncGenerator<Explanation | FailedPrediction>;
}

/**
 * Opens a model for explanations: a run folder or its model.safetensors.
 *
 * @example
 * using explainer = await openExplainer('runs/sewer', { targets: ['presence', 'crack'] });
 * for await (const explanation of explainer.explain(imageInputs(['photos']))) console.log(explanation);
 */
export async function openExplainer(model: string, options: ExplainOptions = {}): Promise<Explainer> {
  if (model.toLowerCase().endsWith('.onnx')) {
    throw new UserError(
      `${model}: an exported model has no gradients; name its run, or read the output cam of a file that was exported with it`,
    );
  }
  const { device = 'auto', preparation = {}, method = 'auto' } = options;
  // Probabilities in the precision of the predictor, so that both decide alike; maps in float32.
  const settings = chooseCompute({ device, precision: 'auto' });
  const { network, description, remarks = [] } = loadModel(model);
  try {
    const input = changedInput(description, preparation);
    if (takesFeatures(input))
      throw new UserError(`${model} takes features; heat maps need a model that takes images`);
    const chosen = chosenTargets(options.targets, description.classes);
    const used = await modelDecision(model, description, options.decision);
    moveNetwork(network, settings.device);
    const format = pixelFormat(network.imageSize, input);
    const batchSize = batchWithin(options.batchSize ?? 8, format);
    const { mean, std } = input;
    const oddRows = oddRowsOf(description, format);
    const hasEmbeddings = needsEmbeddings(description);

    async function* explain(
      inputs: Iterable<ImageInput> | AsyncIterable<ImageInput>,
    ): AsyncGenerator<Explanation | FailedPrediction> {
      for await (using batch of decodedBatches(inputs, format, batchSize)) {
        const explained = withMemoryAdvice(
          () =>
            tidy(() => {
              const images = deviceImages(batch, { format, device: settings.device, mean, std });
              return batch.size === 0 ? [] : explainBatch(images, batch);
            }),
          () => ({
            what: `heat maps of ${batch.size} images at ${network.imageSize} px in ${network.name}`,
            advice: 'lower the batch size',
          }),
        );
        let row = 0;
        for (const { image, failure } of batch.entries) {
          if (failure !== undefined) {
            yield { name: image.name, failure };
            continue;
          }
          const { prediction, targets } = explained[row++]!;
          yield { input: image, prediction: { name: image.name, ...prediction }, targets };
        }
        await new Promise(setImmediate);
      }
    }

    function explainBatch(images: Tensor, batch: InputBatch) {
      const { classes } = description;
      const [logits, embeddings] = noGrad(() =>
        inPrecision(settings, () =>
          hasEmbeddings ? network.logitsAndEmbedding(images) : [network.forward(images)],
        ).map((output) => output.to('float32').toFloat32Array()),
      );
      const decided = decideLogits(logits!, description, used.decision);
      const oddOf = oddRows?.(batch, embeddings) ?? [];
      const rows = decided.outcomes.map((decidedOutcome, row) => {
        const odd = oddOf[row];
        const outcome = guardedOutcome(decidedOutcome, odd);
        const at = row * classes.length;
        const probabilities = decided.probabilities.slice(at, at + classes.length);
        const labels = classes.filter((_, j) => decided.labels[at + j] === 1);
        const prediction = {
          probabilities,
          presenceScore: decided.presence[row]!,
          outcome,
          ...(odd !== undefined && { odd }),
          labels,
        };
        return { prediction, wanted: chosen ?? usualTargets(prediction, classes) };
      });
      const pairs = rows.flatMap(({ wanted }, row) => wanted.map((target) => ({ row, target })));
      const maps = mapsOfPairs(network, images, pairs, { method, batchSize });
      let next = 0;
      return rows.map(({ prediction, wanted }) => ({
        prediction,
        targets: wanted.map((target) => ({
          className: target === 'presence' ? undefined : classes[target]!,
          probability:
            target === 'presence'
              ? -Math.expm1(-prediction.presenceScore)
              : prediction.probabilities[target]!,
          map: maps[next++]!,
        })),
      }));
    }

    return {
      description,
      decision: used.decision,
      remarks: [...remarks, ...used.remarks],
      reading: readingOf(input),
      explain,
      [Symbol.dispose]: () => network.dispose(),
    };
  } catch (error) {
    network.dispose();
    throw error;
  }
}

/** Presence and the predicted classes; if there are none, the most probable class. */
function usualTargets(
  { labels, probabilities }: Omit<Prediction, 'name'>,
  classes: readonly string[],
): Target[] {
  const predicted = labels.map((label) => classes.indexOf(label));
  const top = probabilities.reduce((best, value, j) => (value > probabilities[best]! ? j : best), 0);
  return ['presence', ...(predicted.length > 0 ? predicted : [top])];
}

function chosenTargets(
  names: readonly string[] | undefined,
  classes: readonly string[],
): Target[] | undefined {
  return names?.map((name) => {
    const at = classes.indexOf(name);
    if (at >= 0) return at;
    if (name === 'presence') return 'presence';
    throw new UserError(`no class '${name}'; expected presence or one of ${classes.join(', ')}`);
  });
}

/** Computes the maps of pairs of an image and a target, a batch at a time. */
function mapsOfPairs(
  network: Network,
  images: Tensor,
  pairs: readonly { readonly row: number; readonly target: Target }[],
  { method, batchSize }: { readonly method: HeatMapMethod | 'auto'; readonly batchSize: number },
): HeatMap[] {
  const maps: HeatMap[] = [];
  for (let from = 0; from < pairs.length; from += batchSize) {
    const part = pairs.slice(from, from + batchSize);
    maps.push(
      ...tidy(() => {
        const rows = tensor(
          Int32Array.from(part, ({ row }) => row),
          { dtype: 'int64', device: images.device },
        );
        const targets = part.map(({ target }) => target);
        return heatMaps(network, images.indexSelect(0, rows), targets, { method });
      }),
    );
  }
  return maps;
}
