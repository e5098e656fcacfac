// One update of the weights: forward, loss, backward, clipping, optimizer, average. On a GPU all of it is one
// captured graph, so nothing here reads a value back.

import { captureStep, full, optim, Tensor, tidy } from '@anyclass/torch';
import { type MemoryUse, withMemoryAdvice } from '../inference/memory.js';
import { type BatchMetrics, gradientComputation } from './gradients.js';
import type { StepParts } from './stepParts.js';

/** The results of a step for the whole batch, over all ranks; still on its device. */
export interface StepOutcome {
  readonly loss: Tensor;
  /** The largest magnitude of a logit. */
  readonly largestLogit: Tensor;
  /** The length of the gradient before clipping; infinite if float16 overflowed and the step was skipped. */
  readonly gradientNorm: Tensor;
  /** The number of images in the batch. */
  readonly images: Tensor;
  /** The logits of this rank's images. */
  readonly logits: Tensor;
}

/** `weights` say how much each image counts; a run has them for all of its batches or for none. */
export type TrainingStep = (images: Tensor, targets: Tensor, weights?: Tensor) => StepOutcome;

/**
 * Creates the step of a run. On a GPU, full-size batches use a captured graph; smaller ones do not.
 *
 * @example
 * const step = createTrainingStep(parts);
 * const { loss } = step(images, targets);
 */
export function createTrainingStep(parts: StepParts): TrainingStep {
  const gradients = gradientComputation(parts);
  const update = (...[images, targets, weights]: Tensor[]) =>
    updateWeights(parts, () => gradients(images!, targets!, weights));
  // One graph per size of the images.
  const captured = new Map<number, ReturnType<typeof captureStep>>();
  const capturedFor = (size: number) => {
    const known = captured.get(size) ?? captureStep(update);
    captured.set(size, known);
    return known;
  };
  const step: TrainingStep = (images, targets, weights) =>
    tidy(() => {
      const isFull = images.shape[0] === parts.batchSize;
      const run = isFull && isCapturable(parts) ? capturedFor(images.shape.at(-1) ?? 0) : update;
      // The captured step's own tensors are overwritten by the next one.
      const [loss, largestLogit, gradientNorm, count, logits] = run(
        images,
        targets,
        ...(weights ? [weights] : []),
      ).map((tensor) => tensor.clone());
      return {
        loss: loss!,
        largestLogit: largestLogit!,
        gradientNorm: gradientNorm!,
        images: count!,
        logits: logits!,
      };
    });
  return (...batch) =>
    withMemoryAdvice(
      () => step(...batch),
      () => memoryUse(parts),
    );
}

function memoryUse({ network, batchSize, accumulation }: StepParts): MemoryUse {
  const cut = accumulation > 1 ? ` in ${accumulation} parts` : '';
  return {
    what: `a batch of ${batchSize}${cut} at input size ${network.options.inputSize} in ${network.name}`,
    advice: `raise accumulation (to ${2 * accumulation}, with the same result), or lower batchSize or network.inputSize; then resume or train again`,
  };
}

/** Gloo sums on the CPU, which a CUDA graph cannot wait for. */
function isCapturable({ ranks }: StepParts): boolean {
  return ranks === undefined || ranks.backend === 'nccl';
}

function updateWeights(
  { optimizer, scaler, clipNorm, average }: StepParts,
  gradients: () => BatchMetrics,
): readonly Tensor[] {
  optimizer.zeroGrad();
  const { loss, largestLogit, images: count, logits } = gradients();
  scaler.unscale_(optimizer);
  const gradientNorm = optim.clipGradNorm_(optimizer.parameters, clipNorm ?? Number.POSITIVE_INFINITY);
  scaler.step(optimizer);
  scaler.update();
  average?.update();
  return [
    loss,
    largestLogit,
    gradientNorm,
    count instanceof Tensor ? count : full([], count, { device: loss.device }),
    logits,
  ];
}
