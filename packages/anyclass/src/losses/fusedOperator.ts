// The loss as one operator: kernels of its own on the CPU and, where they were built, on GPUs.

import type { LossParts } from '@anyclass/core';
import type { Tensor } from '@anyclass/torch';
import { type FusedOperator, fusedOperator } from '../kernels/fusedLibrary.js';

/** As the C++ side numbers them. */
const reductionNumbers = { batch: 0, mean: 1, sum: 2, none: 3 } as const;

/** What the operator takes, checked already. */
export interface FusedValues extends LossParts {
  readonly logits: Tensor;
  readonly targets: Tensor;
  readonly mask: Tensor | null;
  readonly classWeights: Tensor | null;
  readonly negativeWeight: number;
  readonly reduction: keyof typeof reductionNumbers;
}

/** The loss, and the denominators of 'batch' and 'mean' as one tensor of two. */
export interface FusedResult {
  readonly loss: Tensor;
  readonly counts: Tensor;
}

let operator: FusedOperator | undefined;

export function fusedLoss(values: FusedValues): FusedResult {
  operator ??= fusedOperator('any_class_loss');
  const { gammaPositive, gammaNegative, clip } = values.term;
  const [loss, counts] = operator(
    values.logits,
    values.targets,
    values.mask,
    values.classWeights,
    values.negativeWeight,
    values.alpha,
    values.lambda,
    [gammaPositive, gammaNegative, clip, values.smoothing],
    reductionNumbers[values.reduction],
  );
  return { loss: loss!, counts: counts! };
}
