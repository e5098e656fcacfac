// Gradient norm clipping. Pascanu et al., "On the difficulty of training recurrent neural networks", arXiv 1211.5063.

import { noGrad } from '../autograd/autograd.js';
import { hasOperator } from '../native/operator.js';
import { zeros } from '../operators/creation.js';
import { tidy } from '../tensor/memory.js';
import { foreachMulList_, foreachMulTensor_, foreachNorm, stack } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { gradientsByKind } from './gradients.js';

export interface ClipOptions {
  /** Throws if the norm is infinite or NaN. On a GPU, this waits for the norm. */
  readonly errorIfNonFinite?: boolean;
}

/**
 * Scales all gradients together so that their norm, taken as one vector, is at most `maxNorm`, and returns the norm
 * before clipping. Nothing is read back from a GPU: gradients that are short enough are multiplied by 1.
 *
 * @example
 * const weight = tensor([0, 0], { requiresGrad: true });
 * weight.grad = tensor([3, 4]);
 * clipGradNorm_([weight], 1).toNumber() // 5
 * weight.grad.toArray() // [0.6, 0.8], except for the 1e-6 that keeps the division finite
 */
export function clipGradNorm_(
  parameters: readonly Tensor[],
  maxNorm: number,
  { errorIfNonFinite = false }: ClipOptions = {},
): Tensor {
  if (!(maxNorm >= 0)) throw new RangeError(`clipGradNorm_: maxNorm must be 0 or more, not ${maxNorm}`);
  return tidy(() =>
    noGrad(() => {
      const lists = gradientsByKind(parameters, 'clipGradNorm_');
      const device = lists[0]?.[0]?.device;
      if (device === undefined) return zeros([]);
      const norms = lists.flatMap((gradients) => foreachNorm(gradients)).map((norm) => norm.to(device));
      const total = stack(norms).norm(2, [0]);
      if (errorIfNonFinite && !Number.isFinite(total.toNumber())) {
        throw new RangeError(
          `clipGradNorm_: the norm of the gradients is ${total.toNumber()}; nothing was clipped`,
        );
      }
      const factor = total.add(1e-6).reciprocal().mul(maxNorm).clamp(null, 1);
      for (const gradients of lists) scale(gradients, factor);
      return total;
    }),
  );
}

function scale(gradients: readonly Tensor[], factor: Tensor): void {
  const local = factor.to(gradients[0]!.device);
  if (hasOperator('aten::_foreach_mul_.Tensor')) foreachMulTensor_(gradients, local);
  else foreachMulList_(gradients, Array(gradients.length).fill(local));
}
