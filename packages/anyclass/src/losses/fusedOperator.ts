// The loss as one operator, with our own kernels on the CPU and, if they were built, on GPUs.

import type { LossParts } from '@anyclass/core';
import type { Tensor } from '@anyclass/torch';
import { type FusedOperator, fusedOperator } from '../kernels/fusedLibrary.js';

/** The C++ side's numbers for the reductions. */
const reductionNumbers = { batch: 0, mean: 1, sum: 2, none: 3 } as const;

/** The operator's arguments, already checked. */
export interface FusedValues {
  readonly logits: Tensor;
  readonly targets: Tensor;
  readonly mask: Tensor | null;
  readonly classWeights: Tensor | null;
  readonly negativeWeight: number;
  readonly parts: LossParts;
  readonly reduction: keyof typeof reductionNumbers;
}

/** The loss, and the denominators of 'batch' and 'mean' in one tensor. */
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
