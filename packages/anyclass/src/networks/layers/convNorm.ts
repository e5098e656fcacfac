// A convolution without bias and its batch norm, which are folded into one convolution with bias for inference:
// s · (W x) + t = (s W) x + t, with s and t the norm's scale and shift in evaluation.

import { isGradEnabled, keep, nn, noGrad, type Tensor, tidy } from '@anyclass/torch';
import { ActivatedBatchNorm, type ActivatedBatchNormOptions } from './activatedBatchNorm.js';
import { affineExcite, affineSqueeze, isPaddable, padChannels } from './affineMaps.js';
import { DepthwiseConv } from './depthwiseConv.js';
import type { SqueezeExcite } from './squeezeExcite.js';

export interface ConvNormOptions extends Omit<nn.Conv2dOptions, 'bias'> {
  readonly norm?: ActivatedBatchNormOptions;
  /** The kind of convolution. Default nn.Conv2d. */
  readonly convolution?: typeof nn.Conv2d;
  /**
   * Lets maps on a GPU have more channels than the layer, zeros up to a multiple of 16, at which tensor cores are fast: 76 become 80. Only for
   * networks whose other layers take such maps.
   */
  readonly padded?: boolean;
}

/**
 * Convolution, batch norm, activation; `0` and `1` in the state dict, as in PyTorch's Sequential.
 *
 * @example
 * new ConvNorm(3, 8, { kernel: 3, padding: 1, norm: { activation: 'relu' } }).forward(images)
 */
export class ConvNorm extends nn.Module {
  readonly norm: ActivatedBatchNorm;
  #conv: nn.Conv2d;
  #folded = false;
  readonly #inputs: number;
  readonly #outputs: number;
  readonly #options: nn.Conv2dOptions;
  readonly #convolution: typeof nn.Conv2d;
  readonly #isPadded: boolean;
  /** Of a convolution of padded maps. */
  readonly #padding: number;
  #prepared: Prepared | undefined;

  constructor(
    inputs: number,
    outputs: number,
    { norm, convolution = nn.Conv2d, padded = false, ...options }: ConvNormOptions,
  ) {
    super();
    const { stride = 1, padding = 0, dilation = 1, groups = 1 } = options;
    if (padded && (stride !== 1 || dilation !== 1 || groups !== 1 || typeof padding !== 'number')) {
      throw new RangeError(
        'ConvNorm: convolutions of padded maps have stride, dilation and groups 1, and a number as padding',
      );
    }
    this.#isPadded = padded;
    this.#padding = typeof padding === 'number' ? padding : 0;
    this.#convolution = convolution;
    this.#inputs = inputs;
    this.#outputs = outputs;
    this.#options = options;
    this.#conv = new convolution(inputs, outputs, { ...options, bias: false });
    this.norm = new ActivatedBatchNorm(outputs, norm);
  }

  protected override members(): Iterable<[string, unknown]> {
    return this.parts('0', '1');
  }

  /** Yields the convolution and the norm under these names, for networks that name them separately. */
  *parts(conv: string, norm: string): Iterable<[string, nn.Module]> {
    yield [conv, this.#conv];
    if (!this.#folded) yield [norm, this.norm];
  }

  forward(input: Tensor): Tensor {
    if (this.#isFused(input)) {
      const x = this.#convolve(input);
      return this.norm.training ? this.norm.forward(x) : affineExcite(x, this.#affine());
    }
    const x = this.#conv.forward(input);
    if (!this.#folded) return this.norm.forward(x);
    const isActivated = this.#conv instanceof DepthwiseConv && this.#conv.isActivated;
    return isActivated ? x : this.norm.activate(x);
  }

  /**
   * Returns the result scaled by squeeze-and-excitation, and with a residual relu of the sum: the end of a residual block, in few passes on a GPU.
   *
   * @example
   * conv2.forwardExcited(x, squeezeExcite, residual)
   */
  forwardExcited(input: Tensor, squeezeExcite: SqueezeExcite, residual: Tensor | null): Tensor {
    if (this.#isFused(input) && (!this.norm.training || squeezeExcite.isFusable)) {
      const x = this.#convolve(input);
      const shortcut = residual && padChannels(residual, x.shape[1] ?? 0);
      if (this.norm.training) return this.norm.forwardExcited(x, squeezeExcite, shortcut);
      const affine = this.#affine();
      const means = affineSqueeze(x, affine).to(squeezeExcite.fc1.weight.dtype);
      return affineExcite(x, { ...affine, excitation: squeezeExcite.scales(means), residual: shortcut });
    }
    const x = squeezeExcite.forward(this.forward(input));
    return residual ? x.add_(residual).relu_() : x;
  }

  /**
   * Returns relu(result + residual).
   *
   * @example
   * conv3.forwardWithResidual(x, residual)
   */
  forwardWithResidual(input: Tensor, residual: Tensor): Tensor {
    if (!this.#isFused(input)) return this.forward(input).add_(residual).relu_();
    const isHalf = this.#conv.weight.dtype !== 'float32';
    const [outputs, inputs] = this.#conv.weight.shape;
    if (this.#folded && isHalf && outputs === residual.shape[1] && inputs === input.shape[1]) {
      const { weight, bias } = this.#conv;
      const around = [this.#padding, this.#padding];
      return nn.functional.cudnnConvolutionAddRelu(
        input,
        weight,
        residual,
        1,
        bias,
        [1, 1],
        around,
        [1, 1],
        1,
      );
    }
    const x = this.#convolve(input);
    const shortcut = padChannels(residual, x.shape[1] ?? 0);
    if (this.norm.training) return this.norm.forwardWithResidual(x, shortcut);
    return affineExcite(x, { ...this.#affine(), residual: shortcut });
  }

  #isFused(input: Tensor): boolean {
    const { norm } = this;
    if (!this.#isPadded || norm.slope === null || !isPaddable(input)) return false;
    return norm.training ? !norm.isSynchronized : !isGradEnabled();
  }

  /** The convolution without bias, of padded maps. */
  #convolve(input: Tensor): Tensor {
    const weight = this.#folded ? this.#prepare(input).weight : paddedWeight(this.#conv.weight, input);
    return nn.functional.conv2d(input, weight, null, 1, this.#padding);
  }

  /** What the norm does in evaluation. */
  #affine() {
    const slope = this.norm.slope ?? 1;
    if (!this.#folded) return { ...this.norm.affine(), slope };
    return { scale: null, shift: this.#prepared?.shift ?? this.#conv.bias!, slope };
  }

  /** The weights as the kernels read them, kept for the next call: a folded layer no longer changes, but it may move to another device or type. */
  #prepare(input: Tensor): Prepared {
    const { weight, bias } = this.#conv;
    const inputs = input.shape[1] ?? 0;
    const found = this.#prepared;
    const { dtype, device } = weight;
    if (found?.weight.dtype === dtype && found.weight.device === device && found.inputs === inputs)
      return found;
    const prepared = tidy(() =>
      noGrad(() => [keep(paddedWeight(weight, input).detach()), keep(bias!.detach().to('float32'))] as const),
    );
    this.#prepared = { inputs, weight: prepared[0], shift: prepared[1] };
    return this.#prepared;
  }

  /** Folds the norm into the convolution, and also a norm of the input if given (1x1 kernels only). */
  fold(inputNorm?: ActivatedBatchNorm): void {
    if (this.#folded) return;
    const before = this.#conv;
    const { device, dtype } = before.weight;
    const after = new this.#convolution(this.#inputs, this.#outputs, this.#options).to({ device, dtype });
    tidy(() =>
      noGrad(() => {
        const { scale, shift } = this.norm.affine();
        const weight = before.weight.mul(scale.view([-1, 1, 1, 1]));
        if (inputNorm === undefined) {
          after.weight.setData(weight);
          after.bias?.copy_(shift);
        } else {
          const input = inputNorm.affine();
          after.weight.setData(weight.mul(input.scale.view([1, -1, 1, 1])));
          after.bias?.copy_(weight.flatten(1).matmul(input.shift).add(shift));
        }
      }),
    );
    before.dispose();
    this.norm.dispose();
    this.#conv = after.eval().requireGrad(false);
    this.#folded = true;
    if (after instanceof DepthwiseConv && this.norm.activation === 'gelu') after.activateWithGelu();
  }
}

interface Prepared {
  readonly inputs: number;
  readonly weight: Tensor;
  readonly shift: Tensor;
}

function paddedWeight(weight: Tensor, input: Tensor): Tensor {
  const [outputs = 0, inputs = 0] = weight.shape;
  const extra = [(input.shape[1] ?? 0) - inputs, Math.ceil(outputs / 16) * 16 - outputs] as const;
  return extra[0] === 0 && extra[1] === 0
    ? weight
    : nn.functional.pad(weight, [0, 0, 0, 0, 0, extra[0], 0, extra[1]]);
}
