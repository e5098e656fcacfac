// One update of the weights: forward, loss, backward, clipping, optimizer, average. On a GPU all of it is one captured
// graph, so nothing here reads a value back.

import { captureStep, noGrad, optim, type Tensor, tidy, zeros } from '@anyclass/torch';
import { type ComputeSettings, inPrecision } from '../inference/computeDevice.js';
import { type MemoryUse, withMemoryAdvice } from '../inference/memory.js';
import { type AnyClassLossOptions, anyClassLoss, anyClassSums } from '../losses/anyClassLoss.js';
import type { Network } from '../networks/network.js';
import type { AveragedWeights } from './averagedWeights.js';

export interface StepParts {
  readonly network: Network;
  readonly optimizer: optim.Optimizer;
  readonly scaler: optim.GradScaler;
  readonly loss: AnyClassLossOptions & { readonly reduction?: 'batch' | 'mean' };
  readonly settings: ComputeSettings;
  readonly batchSize: number;
  /** Parts that a batch is cut into. */
  readonly accumulation: number;
  readonly clipNorm: number | null;
  readonly average?: AveragedWeights | undefined;
}

/** What a step leaves behind, on its device. */
export interface StepOutcome {
  readonly loss: Tensor;
  /** The largest magnitude of a logit. */
  readonly largestLogit: Tensor;
  /** The length of the gradient before clipping; infinite where float16 overflowed and the step was left out. */
  readonly gradientNorm: Tensor;
}

export type TrainingStep = (images: Tensor, targets: Tensor) => StepOutcome;

/**
 * The step of a run. Batches of the full size are captured on a GPU; others, where images were unreadable, run as they are.
 *
 * @example
 * const step = createTrainingStep(parts);
 * const { loss } = step(images, targets);
 */
export function createTrainingStep(parts: StepParts): TrainingStep {
  const update = (images: Tensor, targets: Tensor) => updateWeights(parts, images, targets);
  const captured = captureStep((images, targets) => update(images!, targets!));
  const step: TrainingStep = (images, targets) =>
    tidy(() => {
      const run = images.shape[0] === parts.batchSize ? captured : update;
      // The captured step's own tensors are overwritten by the next one.
      const [loss, largestLogit, gradientNorm] = run(images, targets).map((tensor) => tensor.clone());
      return { loss: loss!, largestLogit: largestLogit!, gradientNorm: gradientNorm! };
    });
  return (images, targets) =>
    withMemoryAdvice(
      () => step(images, targets),
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

function updateWeights(parts: StepParts, images: Tensor, targets: Tensor): readonly Tensor[] {
  const { optimizer, scaler, clipNorm, average } = parts;
  optimizer.zeroGrad();
  const { loss, largestLogit } = accumulateGradients(parts, images, targets);
  scaler.unscale_(optimizer);
  const gradientNorm = optim.clipGradNorm_(optimizer.parameters, clipNorm ?? Number.POSITIVE_INFINITY);
  scaler.step(optimizer);
  scaler.update();
  average?.update();
  return [loss, largestLogit, gradientNorm];
}

function accumulateGradients(
  { network, scaler, loss: options, settings, accumulation }: StepParts,
  images: Tensor,
  targets: Tensor,
): { loss: Tensor; largestLogit: Tensor } {
  const rows = targets.shape[0]!;
  if (accumulation === 1) {
    const logits = inPrecision(settings, () => network.forward(images)).to('float32');
    const loss = anyClassLoss(logits, targets, options);
    scaler.scale(loss).backward();
    return { loss: loss.detach(), largestLogit: logits.detach().abs().amax() };
  }
  // The loss of a batch is a quotient of two sums. Its denominator depends on the labels alone, so the parts' numerators
  // over the whole batch's denominator add up to the loss, and the gradients to the gradient, of the batch.
  const { denominator } = noGrad(() =>
    anyClassSums(zeros(targets.shape, { device: targets.device }), targets, options),
  );
  const total = zeros([], { device: targets.device });
  const largest = zeros([], { device: targets.device });
  const part = Math.ceil(rows / accumulation);
  for (let start = 0; start < rows; start += part) {
    const size = Math.min(part, rows - start);
    tidy(() => {
      const logits = inPrecision(settings, () => network.forward(images.narrow(0, start, size))).to(
        'float32',
      );
      const { numerator } = anyClassSums(logits, targets.narrow(0, start, size), options);
      const loss = numerator.div(denominator);
      scaler.scale(loss).backward();
      noGrad(() => {
        total.add_(loss);
        largest.copy_(largest.maximum(logits.abs().amax()));
      });
    });
  }
  return { loss: total, largestLogit: largest };
}
