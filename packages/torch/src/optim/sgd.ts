// Stochastic gradient descent with momentum. Sutskever et al., "On the importance of initialization and momentum in deep
// learning", ICML 2013; the learning rate is applied outside the momentum, as in PyTorch.

import { hasOperator } from '../native/operator.js';
import {
  foreachAddcmul_,
  foreachAddList_,
  foreachMulScalar_,
  fusedSgd_,
  zerosLike,
} from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { blockElements, inBlocks } from './blocks.js';
import { type Bucket, Optimizer } from './optimizer.js';
import { flag, nonNegative, type RawOptions } from './options.js';
import type { ParameterGroup, ParametersInput } from './parameterGroup.js';

export type SGDGroupOptions = {
  readonly lr: number;
  readonly momentum: number;
  /** Fraction of a gradient that the momentum leaves out. */
  readonly dampening: number;
  readonly weightDecay: number;
  readonly nesterov: boolean;
  /** Uses libtorch's fused kernel if there is one. */
  readonly fused: boolean;
};

export type SGDOptions = Pick<SGDGroupOptions, 'lr'> & Partial<SGDGroupOptions>;

export type SGDState = { readonly momentumBuffer: Tensor };

/**
 * SGD, numerically equal to PyTorch's: g = gradient + weightDecay·p, b = momentum·b + (1 - dampening)·g (the first b is g),
 * p -= lr·b, or lr·(g + momentum·b) with Nesterov momentum.
 *
 * @example
 * const weight = tensor([1, 2], { requiresGrad: true });
 * const optimizer = new SGD([weight], { lr: 0.1, momentum: 0.9 });
 * weight.mul(weight).sum().backward();
 * optimizer.step();
 * weight.toArray() // [0.8, 1.6]
 */
export class SGD extends Optimizer<SGDGroupOptions, SGDState> {
  constructor(parameters: ParametersInput<SGDGroupOptions>, options: SGDOptions) {
    super('SGD', parameters, { ...defaults, ...options }, readOptions);
  }

  protected override createState(parameter: Tensor, { momentum }: SGDGroupOptions): SGDState | undefined {
    return momentum === 0 ? undefined : { momentumBuffer: zerosLike(parameter) };
  }

  // Without dampening, the first step needs no special case, since momentum·0 + g is g. With dampening, it would.
  protected override isFused({ device, dtype }: Bucket<SGDState>, options: SGDGroupOptions): boolean {
    if (!options.fused || device === 'cpu' || dtype === 'float64' || options.dampening !== 0) return false;
    return hasOperator('aten::_fused_sgd_.tensor_lr');
  }

  protected override updateFused(
    { parameters, gradients, states, device }: Bucket<SGDState>,
    group: ParameterGroup<SGDGroupOptions>,
    foundInf: Tensor | undefined,
  ): void {
    const { momentum, dampening, weightDecay, nesterov } = group.options;
    fusedSgd_(parameters, gradients, momentumBuffers(states), {
      weightDecay,
      momentum,
      lr: group.rateOn(device, 'float32'),
      dampening,
      nesterov,
      maximize: false,
      isFirstStep: false,
      foundInf,
    });
  }

  protected override update(bucket: Bucket<SGDState>, group: ParameterGroup<SGDGroupOptions>): void {
    const { parameters, gradients, states, device, isFirstStep } = bucket;
    const { lr, momentum, dampening, weightDecay, nesterov } = group.options;
    const rate = device === 'cpu' ? undefined : group.rateOn(device, 'float64');
    const columns = [parameters, gradients];
    if (momentum !== 0) columns.push(momentumBuffers(states));
    inBlocks(columns, blockElements(device), (block, p, g, buffers) => {
      let change = g;
      if (momentum !== 0 && !nesterov) {
        // The decay is added straight to the buffers: this saves a copy of the gradients and differs from PyTorch by one rounding.
        const taken = isFirstStep ? 1 : 1 - dampening;
        foreachMulScalar_(buffers, momentum);
        foreachAddList_(buffers, g, { alpha: taken });
        if (weightDecay !== 0) foreachAddList_(buffers, p, { alpha: taken * weightDecay });
        change = buffers;
      } else if (weightDecay !== 0 || nesterov) {
        change = block.copy(g);
        if (weightDecay !== 0) foreachAddList_(change, p, { alpha: weightDecay });
        if (nesterov) {
          foreachMulScalar_(buffers, momentum);
          foreachAddList_(buffers, change);
          foreachAddList_(change, buffers, { alpha: momentum });
        }
      }
      if (rate) foreachAddcmul_(p, change, Array(p.length).fill(rate), -1);
      else foreachAddList_(p, change, { alpha: -lr });
    });
  }
}

const defaults = { momentum: 0, dampening: 0, weightDecay: 0, nesterov: false, fused: true };

function readOptions(raw: RawOptions): SGDGroupOptions {
  const options = {
    lr: nonNegative(raw, 'lr'),
    momentum: nonNegative(raw, 'momentum'),
    dampening: nonNegative(raw, 'dampening'),
    weightDecay: nonNegative(raw, 'weightDecay'),
    nesterov: flag(raw, 'nesterov'),
    fused: flag(raw, 'fused'),
  };
  if (options.nesterov && (options.momentum === 0 || options.dampening !== 0)) {
    throw new RangeError('nesterov needs a momentum above 0 and no dampening');
  }
  return options;
}

function momentumBuffers(states: readonly SGDState[]): Tensor[] {
  return states.map(({ momentumBuffer }) => momentumBuffer);
}
