// Batch norm with its activation. Rota Bulò et al., "In-Place Activated BatchNorm for Memory-Optimized Training of DNNs",
// arXiv 1712.02616. Like that paper's code, the published TResNet scales by |weight| + eps rather than by the weight.

import {
  type Dtype,
  type distributed,
  isGradEnabled,
  keep,
  nn,
  noGrad,
  ones,
  type Tensor,
  tidy,
  zeros,
} from '@anyclass/torch';
import { affineExcite, isPaddable } from './affineMaps.js';
import {
  type ExcitationLayers,
  type FusedNormValues,
  fusedActivatedBatchNorm,
  fusedExcitedNorm,
  fusedResidualNorm,
  isFusable,
} from './fusedActivatedBatchNorm.js';
import { isWatched } from './isWatched.js';
import { synchronizedBatchNorm } from './synchronizedBatchNorm.js';

export type Activation =
  | 'identity'
  | 'relu'
  | 'gelu'
  | 'silu'
  | 'hardswish'
  | { readonly leakySlope: number };

export interface ActivatedBatchNormOptions {
  readonly activation?: Activation;
  readonly eps?: number;
  /** The weight of the newest batch in the running statistics. */
  readonly momentum?: number;
  /** Scales by |weight| + eps instead of the weight. */
  readonly absoluteWeight?: boolean;
}

/**
 * Computes activation(batchNorm(x)) in one layer, so that GPUs need few passes over the maps.
 *
 * @example
 * new ActivatedBatchNorm(8, { activation: 'relu' }).forward(randn([4, 8, 5, 5])).amin().toNumber() // 0
 */
export class ActivatedBatchNorm extends nn.Module {
  readonly weight: nn.Parameter;
  readonly bias: nn.Parameter;
  readonly runningMean: Tensor;
  readonly runningVar: Tensor;
  readonly numBatchesTracked: Tensor;
  readonly eps: number;
  readonly momentum: number;
  readonly absoluteWeight: boolean;
  /** The activation alone. It overwrites its input if possible, since batch norm does not need its output again. */
  readonly activate: (x: Tensor) => Tensor;
  readonly activation: Activation;
  /** The same without gradients: it overwrites its input if libtorch can. */
  readonly overwrite: (x: Tensor) => Tensor;
  /** The fused kernels' counters. Each norm needs its own, since others may run at the same time. */
  #finished: Tensor | undefined;
  #group: distributed.ProcessGroup | undefined;
  #isFrozen = false;
  #frozen: { readonly dtype: Dtype; readonly scale: Tensor; readonly shift: Tensor } | undefined;

  constructor(channels: number, options: ActivatedBatchNormOptions = {}) {
    super();
    const { activation = 'identity', eps = 1e-5, momentum = 0.1, absoluteWeight = false } = options;
    this.weight = new nn.Parameter(ones([channels]));
    this.bias = new nn.Parameter(zeros([channels]));
    this.runningMean = keep(zeros([channels]));
    this.runningVar = keep(ones([channels]));
    this.numBatchesTracked = keep(zeros([], { dtype: 'int64' }));
    this.eps = eps;
    this.momentum = momentum;
    this.absoluteWeight = absoluteWeight;
    this.activate = activationFunction(activation);
    this.activation = activation;
    this.overwrite = overwritingFunction(activation) ?? this.activate;
  }

  forward(input: Tensor): Tensor {
    const { weight, bias, runningMean, runningVar, training, momentum, eps } = this;
    if (training && isFusable(input, weight)) return this.#fused(input);
    if (training) noGrad(() => this.numBatchesTracked.add_(1));
    const scale = this.#scale();
    if (training && this.#group) return this.activate(synchronizedBatchNorm(input, scale, this, this.#group));
    return this.activate(
      nn.functional.batchNorm(input, scale, bias, runningMean, runningVar, training, momentum, eps, true),
    );
  }

  /** Parameters no longer change from now on; for norms of folded networks that no convolution takes in. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Whether `overwriteMaps` takes these maps: in evaluation of a frozen norm, for the kernels. */
  canOverwrite(maps: Tensor): boolean {
    const isInference = this.#isFrozen && !this.training && !isGradEnabled() && !isWatched(this);
    return isInference && this.slope !== null && this.weight.numel % 8 === 0 && isPaddable(maps);
  }

  /** Returns the same as `forward`; it overwrites its input in one pass if it can, so nobody else may need that. */
  overwriteMaps(maps: Tensor): Tensor {
    if (!this.canOverwrite(maps)) return this.forward(maps);
    return affineExcite(maps, { ...this.#frozenAffine(), slope: this.slope ?? 1 });
  }

  /** What the activation multiplies negative values by: 1 for none, null for a curved one. */
  get slope(): number | null {
    if (this.activation === 'identity') return 1;
    if (this.activation === 'relu') return 0;
    return typeof this.activation === 'object' ? this.activation.leakySlope : null;
  }

  /** Whether statistics are taken over several ranks. */
  get isSynchronized(): boolean {
    return this.#group !== undefined;
  }

  /** Whether `forwardWithResidual` takes these maps: the kernels support them, both alike, and the norm has no activation and is not synchronized. */
  isFusableWith(input: Tensor, residual: Tensor): boolean {
    if (this.activation !== 'identity' || this.isSynchronized) return false;
    const areFusable = [input, residual].every((maps) => isFusable(maps, this.weight));
    return areFusable && residual.dtype === input.dtype && residual.shape.join() === input.shape.join();
  }

  /** Returns relu(norm(input) + residual) of the batch; for inputs that pass `isFusableWith`, and also for padded ones. */
  forwardWithResidual(input: Tensor, residual: Tensor): Tensor {
    return fusedResidualNorm(this.#values(input), residual);
  }

  /** Returns the activated norm of the batch, scaled by squeeze-and-excitation, and with a residual relu of the sum; for inputs as above. */
  forwardExcited(input: Tensor, layers: ExcitationLayers, residual: Tensor | null): Tensor {
    const { slope } = this;
    if (slope === null) throw new RangeError('ActivatedBatchNorm: no kernel excites a curved activation');
    return fusedExcitedNorm({ ...this.#values(input), slope }, layers, residual);
  }

  /** Takes training statistics over all ranks of a group from now on. */
  synchronize(group: distributed.ProcessGroup): void {
    this.#group = group.worldSize > 1 ? group : undefined;
  }

  /** Returns each channel's scale and shift in evaluation, where the norm is activation(scale · x + shift). */
  affine(): { scale: Tensor; shift: Tensor } {
    const scale = this.#scale().mul(this.runningVar.add(this.eps).rsqrt());
    return { scale, shift: this.bias.sub(this.runningMean.mul(scale)) };
  }

  /** Scale and shift in evaluation, in float32 whatever the parameters are; kept until they move to another device or type. */
  #frozenAffine(): { readonly scale: Tensor; readonly shift: Tensor } {
    const { dtype, device } = this.weight;
    const found = this.#frozen;
    if (found?.dtype === dtype && found.shift.device === device) return found;
    const [scale, shift] = tidy(() =>
      noGrad(() => {
        const wide = (values: Tensor) => values.to('float32');
        const factor = wide(this.#scale()).mul(wide(this.runningVar).add(this.eps).rsqrt());
        return [keep(factor), keep(wide(this.bias).sub(wide(this.runningMean).mul(factor)))] as const;
      }),
    );
    this.#frozen = { dtype, scale, shift };
    return this.#frozen;
  }

  #fused(input: Tensor): Tensor {
    const isCurved = this.activation === 'silu' || this.activation === 'hardswish';
    // The kernels know GELU, but not the other curved activations.
    const output = fusedActivatedBatchNorm({ ...this.#values(input), slope: isCurved ? 1 : this.slope });
    return isCurved ? this.activate(output) : output;
  }

  #values(input: Tensor): FusedNormValues {
    const { weight, bias, runningMean, runningVar, numBatchesTracked, momentum, eps, absoluteWeight } = this;
    const channels = input.shape[1] ?? 0;
    if (this.#finished?.device !== input.device || this.#finished.shape[1] !== channels) {
      this.#finished = keep(zeros([2, channels], { dtype: 'int32', device: input.device }));
    }
    const parameters = { weight, bias, eps, absoluteWeight, slope: this.slope };
    const statistics = { runningMean, runningVar, numBatchesTracked, momentum, group: this.#group };
    return { input, ...parameters, ...statistics, finished: this.#finished };
  }

  // libtorch's |w| has gradient 0 at w = 0, so zero-initialized weights would stay there forever. The added constant is
  // below the last bit of any other weight and makes the gradient +1 at 0.
  #scale(): Tensor {
    return this.absoluteWeight ? this.weight.add(1e-30).abs().add(this.eps) : this.weight;
  }
}

/**
 * Makes all batch norms in a network take their statistics over all ranks, so that N processes compute the same as one.
 *
 * @example
 * synchronizeNorms(network, await distributed.init());
 */
export function synchronizeNorms(network: nn.Module, group: distributed.ProcessGroup): void {
  for (const [, module] of network.namedModules())
    if (module instanceof ActivatedBatchNorm) module.synchronize(group);
}

function activationFunction(activation: Activation): (x: Tensor) => Tensor {
  if (activation === 'identity') return (x) => x;
  if (activation === 'relu') return (x) => x.relu_();
  if (activation === 'gelu') return (x) => nn.functional.gelu(x);
  if (activation === 'silu') return (x) => nn.functional.silu(x);
  if (activation === 'hardswish') return (x) => nn.functional.hardswish(x);
  const leaky = new nn.LeakyReLU({ slope: activation.leakySlope, inPlace: true });
  return (x) => leaky.forward(x);
}

/** Of activations whose gradients need their input. */
function overwritingFunction(activation: Activation): ((x: Tensor) => Tensor) | undefined {
  if (activation === 'silu') return (x) => nn.functional.silu_(x);
  if (activation === 'hardswish') return (x) => nn.functional.hardswish_(x);
  return undefined;
}
