// Argument checks before the operator is called. Values inside the tensors are not read, since that would wait for a GPU.

import type { Tensor } from '@anyclass/torch';
import type { AnyClassLossOptions } from './lossOptions.js';

export function checkTensors(logits: Tensor, targets: Tensor, mask: Tensor | undefined): void {
  if (logits.ndim !== 2 || logits.shape[1] === 0) {
    throw new RangeError(`logits is ${describe(logits)}; expected [rows, classes], with at least one class`);
  }
  if (!logits.dtype.includes('float')) {
    throw new TypeError(`logits is ${describe(logits)}; expected a floating-point dtype`);
  }
  checkLike('targets', targets, logits);
  if (mask === undefined) return;
  checkLike('mask', mask, logits);
  if (mask.dtype !== 'bool' && mask.dtype !== 'uint8') {
    throw new TypeError(`mask is ${describe(mask)}; expected bool or uint8, 0 where a label is unknown`);
  }
}

export function checkWeights(weights: Tensor, logits: Tensor): void {
  if (weights.ndim !== 1 || weights.shape[0] !== logits.shape[0]) {
    throw new RangeError(
      `weights is ${describe(weights)}; expected one number per row, [${logits.shape[0]}]`,
    );
  }
}

export function checkBalance({ balance }: AnyClassLossOptions, logits: Tensor): void {
  if (balance === undefined) return;
  const classes = logits.shape[1];
  const { classWeights, negativeWeight } = balance;
  const length = 'device' in classWeights ? classWeights.numel : classWeights.length;
  if (length !== classes) {
    throw new RangeError(`balance.classWeights has ${length} entries; expected ${classes}, one per class`);
  }
  if (!(negativeWeight >= 0 && negativeWeight < Number.POSITIVE_INFINITY)) {
    throw new RangeError(
      `balance.negativeWeight is ${negativeWeight}; expected a finite number of at least 0`,
    );
  }
}

function checkLike(name: string, tensor: Tensor, logits: Tensor): void {
  if (tensor.shape.join() !== logits.shape.join()) {
    throw new RangeError(
      `${name} is ${describe(tensor)}; expected the logits' shape [${logits.shape.join(', ')}]`,
    );
  }
  if (tensor.device !== logits.device) {
    throw new RangeError(`${name} is on ${tensor.device} and the logits on ${logits.device}; move it there`);
  }
}

function describe(tensor: Tensor): string {
  return `${tensor.dtype}[${tensor.shape.join(', ')}]`;
}
