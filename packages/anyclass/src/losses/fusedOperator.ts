// The operator in packages/anyclass/native, in a library that set-up builds and the first call loads.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadLibrary, registeredOperator, type Tensor } from '@anyclass/torch';

/** As the C++ side numbers them. */
export const reductionNumbers = { batch: 0, mean: 1, sum: 2, none: 3 } as const;

/** What the operator takes, checked already. */
export interface FusedValues {
  readonly logits: Tensor;
  readonly targets: Tensor;
  readonly mask: Tensor | null;
  readonly classWeights: Tensor | null;
  readonly negativeWeight: number;
  readonly alpha: number;
  readonly lambda: number;
  /** 0 for binary cross-entropy. */
  readonly gamma: number;
  readonly reduction: keyof typeof reductionNumbers;
}

/** The loss, and the denominators of 'batch' and 'mean' as one tensor of two. */
export interface FusedResult {
  readonly loss: Tensor;
  readonly counts: Tensor;
}

let operator: ReturnType<typeof registeredOperator> | undefined;

export function fusedLoss(values: FusedValues): FusedResult {
  operator ??= load();
  const [loss, counts] = operator(
    values.logits,
    values.targets,
    values.mask,
    values.classWeights,
    values.negativeWeight,
    values.alpha,
    values.lambda,
    values.gamma,
    reductionNumbers[values.reduction],
  );
  return { loss: loss!, counts: counts! };
}

function load(): ReturnType<typeof registeredOperator> {
  const path = fileURLToPath(new URL('../../build/libanyclass.so', import.meta.url));
  if (!existsSync(path)) throw new Error(`the loss is not built: ${path} is missing; run 'npm run setup'`);
  loadLibrary(path);
  return registeredOperator('anyclass::any_class_loss');
}
