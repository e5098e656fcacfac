// The loss as one operator: kernels of its own on the CPU and, where they were built, on GPUs.

import type { LossParts } from '@anyclass/core';
import type { Tensor } from '@anyclass/torch';
import { type FusedOperator, fusedOperator } from '../kernels/fusedLibrary.js';

/** As the C++ side numbers them. */
const reductionNumbers = { batch: 0, mean: 1, sum: 2, none: 3 } as const;

/** What the operator takes, checked already. */
export interface FusedValues {
  readonly logits: Tensor;
  readonly targets: Tensor;
  readonly mask: Tensor | null;
  readonly classWeights: Tensor | null;
  readonly negativeWeight: number;
  readonly parts: LossParts;
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
  const { term, alpha, lambda, smoothing } = values.parts;
  const [loss, counts] = operator(
    values.logits,
    values.targets,
    values.mask,
    values.classWeights,
    values.negativeWeight,
    alpha,
    lambda,
    term.gammaPositive,
    term.gammaNegative,
    term.clip,
    smoothing,
    reductionNumbers[values.reduction],
  );
  return { loss: loss!, counts: counts! };
}
