// Adam with decoupled weight decay. Kingma and Ba, "Adam: A Method for Stochastic Optimization", arXiv 1412.6980;
// Loshchilov and Hutter, "Decoupled Weight Decay Regularization", arXiv 1711.05101.

import { hasOperator } from '../native/operator.js';
import { zeros } from '../operators/creation.js';
import { foreachAddList_, foreachAddScalar_, fusedAdamW_, zerosLike } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { type AdamWGroupOptions, type AdamWState, updateOnCpu, updateOnDevice } from './adamwUpdate.js';
import { type Bucket, Optimizer } from './optimizer.js';
import { flag, nonNegative, nonNegativePair, type RawOptions } from './options.js';
import type { ParameterGroup, ParametersInput } from './parameterGroup.js';

export type { AdamWGroupOptions, AdamWState } from './adamwUpdate.js';

export type AdamWOptions = Partial<AdamWGroupOptions>;

/**
 * AdamW, numerically equal to PyTorch's, with its defaults: lr 1e-3, betas .9 and .999, eps 1e-8, weight decay .01.
 *
 * @example
 * const weight = tensor([1, 2], { requiresGrad: true });
 * const optimizer = new AdamW([weight], { lr: 0.1, weightDecay: 0.05 });
 * weight.mul(weight).sum().backward();
 * optimizer.step();
 * weight.toArray() // [0.895, 1.89]
 */
export class AdamW extends Optimizer<AdamWGroupOptions, AdamWState> {
  constructor(parameters: ParametersInput<AdamWGroupOptions>, options: AdamWOptions = {}) {
    super('AdamW', parameters, { ...defaults, ...options }, readOptions);
  }

  protected override createState(parameter: Tensor): AdamWState {
    return {
      step: zeros([], { device: parameter.device }),
      expAvg: zerosLike(parameter),
      expAvgSq: zerosLike(parameter),
    };
  }

  protected override isFused({ device, dtype }: Bucket<AdamWState>, options: AdamWGroupOptions): boolean {
    if (!options.fused || device === 'cpu' || dtype === 'float64') return false;
    return hasOperator('aten::_fused_adamw_.tensor_lr');
  }

  protected override updateFused(
    { parameters, gradients, states, device }: Bucket<AdamWState>,
    group: ParameterGroup<AdamWGroupOptions>,
    foundInf: Tensor | undefined,
  ): void {
    const { betas, eps, weightDecay } = group.options;
    const steps = states.map(({ step }) => step);
    foreachAddScalar_(steps, 1);
    const averages = states.map(({ expAvg }) => expAvg);
    const squares = states.map(({ expAvgSq }) => expAvgSq);
    fusedAdamW_(parameters, gradients, averages, squares, [], steps, {
      lr: group.rateOn(device, 'float32'),
      beta1: betas[0],
      beta2: betas[1],
      weightDecay,
      eps,
      amsgrad: false,
      maximize: false,
      foundInf,
    });
    // A skipped step does not count.
    if (foundInf) foreachAddList_(steps, Array(steps.length).fill(foundInf), { alpha: -1 });
  }

  protected override update(bucket: Bucket<AdamWState>, group: ParameterGroup<AdamWGroupOptions>): void {
    foreachAddScalar_(
      bucket.states.map(({ step }) => step),
      1,
    );
    if (bucket.device === 'cpu') updateOnCpu(bucket, group.options);
    else updateOnDevice(bucket, group.options, group.rateOn(bucket.device, 'float64'));
  }
}

const defaults: AdamWGroupOptions = {
  lr: 1e-3,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0.01,
  fused: true,
};

function readOptions(raw: RawOptions): AdamWGroupOptions {
  return {
    lr: nonNegative(raw, 'lr'),
    betas: nonNegativePair(raw, 'betas', 1),
    eps: nonNegative(raw, 'eps'),
    weightDecay: nonNegative(raw, 'weightDecay'),
    fused: flag(raw, 'fused'),
  };
}
