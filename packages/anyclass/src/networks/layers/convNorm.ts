// A convolution without bias and its batch norm, which are folded into one convolution with bias for inference:
// s · (W x) + t = (s W) x + t, with s and t the norm's scale and shift in evaluation.

import { isGradEnabled, keep, nn, noGrad, type Tensor, tidy } from '@anyclass/torch';
import { ActivatedBatchNorm, type ActivatedBatchNormOptions } from './activatedBatchNorm.js';
import { affineExcite, affineSqueeze, isPaddable, padChannels } from './affineMaps.js';
import { DepthwiseConv } from './depthwiseConv.js';
import { isWatched } from './isWatched.js';
import type { SqueezeExcite } from './squeezeExcite.js';
import { StemConv } from './stemConv.js';

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
  /** What libtorch's convolution takes; null for other kinds of convolution or padding. */
  readonly #geometry: Geometry | null;
  #padded: PaddedWeight | undefined;
  #kept: Shift | undefined;

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
    const isKnown = convolution === nn.Conv2d || convolution === StemConv;
    const isPlain = isKnown && padding !== 'same' && (options.paddingMode ?? 'zeros') === 'zeros';
    this.#geometry = isPlain ? { stride, padding, dilation, groups } : null;
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
      return this.norm.training ? this.norm.forward(this.#convolve(input)) : this.#evaluate(input);
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
    if (
      this.norm.slope !== null &&
      this.#isFused(input) &&
      (!this.norm.training || squeezeExcite.isFusable)
    ) {
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
    if (this.#isFused(input)) {
      if (!this.norm.training) return this.#evaluate(input, { residual });
      const x = this.#convolve(input);
      return this.norm.forwardWithResidual(x, padChannels(residual, x.shape[1] ?? 0));
    }
    if (this.norm.training && !this.#isWatched) {
      const x = this.#conv.forward(input);
      return this.norm.isFusableWith(x, residual)
        ? this.norm.forwardWithResidual(x, residual)
        : this.norm.forward(x).add_(residual).relu_();
    }
    return this.forward(input).add_(residual).relu_();
  }

  /**
   * Returns relu(result + what a shortcut makes of its own input), where the shortcut has no activation. Once both are folded, one pass adds both shifts.
   *
   * @example
   * conv3.forwardWithShortcut(x, downsample, input)
   */
  forwardWithShortcut(input: Tensor, shortcut: ConvNorm, shortcutInput: Tensor): Tensor {
    const isJoined = this.#isFoldedAndFused(input) && shortcut.#isFoldedAndFused(shortcutInput);
    if (!isJoined || shortcut.norm.slope !== 1)
      return this.forwardWithResidual(input, shortcut.forward(shortcutInput));
    return this.#evaluate(input, { residual: shortcut.#convolve(shortcutInput), shortcut });
  }

  /** Whether the kernels do what comes after the convolution, which then runs without its module. */
  #isFused(input: Tensor): boolean {
    const { norm } = this;
    if (this.#geometry === null || this.#isWatched || !isPaddable(input)) return false;
    if (norm.training) return this.#isPadded && norm.slope !== null && !norm.isSynchronized;
    const isSuited = this.#isPadded ? norm.slope !== null : this.#isFoldedForKernels(input);
    return isSuited && !isGradEnabled();
  }

  #isFoldedAndFused(input: Tensor): boolean {
    return this.#folded && this.#isFused(input);
  }

  /** Whether maps without padding suit the kernels: libtorch cannot tell whether those of one channel are channels-last, and makes others of them. */
  #isFoldedForKernels(input: Tensor): boolean {
    return this.#folded && this.#outputs % 8 === 0 && (input.shape[1] ?? 0) > 1;
  }

  get #isWatched(): boolean {
    return isWatched(this) || isWatched(this.#conv) || isWatched(this.norm);
  }

  /** The convolution without bias. */
  #convolve(input: Tensor): Tensor {
    if (this.#conv instanceof StemConv) return this.#conv.convolve(input, null);
    const { stride, padding, dilation, groups } = this.#geometry!;
    return nn.functional.conv2d(input, this.#weight(input), null, stride, padding, dilation, groups);
  }

  /** The result in evaluation, or relu of its sum with a residual. */
  #evaluate(input: Tensor, end: End | null = null): Tensor {
    const { norm } = this;
    const isWhole = this.#isWholeHalf(input);
    if (end && isWhole && norm.slope === 1 && this.#outputs === end.residual.shape[1])
      return this.#convolveAndAdd(input, end);
    if (!end && isWhole && !this.#isPadded && this.#isProduct) return this.#multiply(input);
    const x = this.#convolve(input);
    if (norm.slope === null) {
      const shifted = affineExcite(x, { ...this.#affine(), slope: 1 });
      return end ? norm.overwrite(shifted).add_(end.residual).relu_() : norm.overwrite(shifted);
    }
    const residual = end && padChannels(end.residual.to(x.dtype), x.shape[1] ?? 0);
    return affineExcite(x, { ...this.#affine(end?.shortcut), residual });
  }

  /** Whether folded weights and maps are alike, of half precision, without padding, and of channels that libtorch's fused kernels take. */
  #isWholeHalf(input: Tensor): boolean {
    const { weight } = this.#conv;
    const isHalf = weight.dtype !== 'float32' && weight.dtype === input.dtype;
    return this.#folded && isHalf && weight.shape[1] === input.shape[1] && this.#inputs % 8 === 0;
  }

  /** Whether the convolution is a product of pixels and weights. */
  get #isProduct(): boolean {
    const { kernel } = this.#options;
    const { stride, padding } = this.#geometry!;
    return pair(kernel).join() === '1,1' && pair(stride).join() === '1,1' && pair(padding).join() === '0,0';
  }

  /** One product of all pixels, which adds the bias and, if need be, rectifies; other activations take a pass. */
  #multiply(input: Tensor): Tensor {
    const { weight, bias } = this.#conv;
    const [images = 0, , height = 0, width = 0] = input.shape;
    const pixels = input.permute([0, 2, 3, 1]).view([-1, this.#inputs]);
    const columns = weight.view([this.#outputs, this.#inputs]).transpose(0, 1);
    const isRectified = this.norm.slope === 0;
    const rows = isRectified
      ? nn.functional.addmmActivation(bias!, pixels, columns)
      : bias!.addmm(pixels, columns);
    const maps = rows.view([images, height, width, this.#outputs]).permute([0, 3, 1, 2]);
    return isRectified ? maps : this.norm.overwrite(maps);
  }

  /** All of it in the convolution's own kernel. */
  #convolveAndAdd(input: Tensor, { residual, shortcut }: End): Tensor {
    const { stride, padding, dilation, groups } = this.#geometry!;
    const bias = shortcut ? this.#shift(shortcut).bias : this.#conv.bias;
    const shape = [pair(stride), pair(padding), pair(dilation), groups] as const;
    return nn.functional.cudnnConvolutionAddRelu(input, this.#conv.weight, residual, 1, bias, ...shape);
  }

  /** What the norm does in evaluation, and that of a shortcut that is folded too. */
  #affine(shortcut?: ConvNorm) {
    const slope = this.norm.slope ?? 1;
    if (!this.#folded) return { ...this.norm.affine(), slope };
    return { scale: null, shift: this.#shift(shortcut).wide, slope };
  }

  /** The weights for these maps. Those with zeros are kept for the next call: a folded layer no longer changes, but it may move to another device or type. */
  #weight(input: Tensor): Tensor {
    const { weight } = this.#conv;
    if (!this.#isPadded) return weight;
    if (!this.#folded) return paddedWeight(weight, input);
    const inputs = input.shape[1] ?? 0;
    const found = this.#padded;
    if (found && isAlike(found.weight, weight) && found.inputs === inputs) return found.weight;
    const padded = tidy(() => noGrad(() => keep(paddedWeight(weight, input).detach())));
    this.#padded = { inputs, weight: padded };
    return padded;
  }

  /** The bias of the folded layer, with that of a shortcut, as the kernels read it: in float32, and like the weights; kept as above. */
  #shift(shortcut: ConvNorm | undefined): Shift {
    const { weight, bias } = this.#conv;
    const found = this.#kept;
    if (found && isAlike(found.bias, weight) && found.shortcut === shortcut) return found;
    const sum = tidy(() =>
      noGrad(() => {
        const own = bias!.detach().to('float32');
        return keep(shortcut ? own.add(shortcut.#conv.bias!) : own);
      }),
    );
    this.#kept = { shortcut, wide: sum, bias: tidy(() => keep(sum.to(weight.dtype))) };
    return this.#kept;
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

interface Geometry {
  readonly stride: nn.Size2d;
  readonly padding: nn.Size2d;
  readonly dilation: nn.Size2d;
  readonly groups: number;
}

/** The end of a residual block: what is added before a relu. */
interface End {
  readonly residual: Tensor;
  /** A folded convolution that made the residual, all but its shift. */
  readonly shortcut?: ConvNorm;
}

interface PaddedWeight {
  readonly inputs: number;
  readonly weight: Tensor;
}

interface Shift {
  readonly shortcut: ConvNorm | undefined;
  /** In float32. */
  readonly wide: Tensor;
  readonly bias: Tensor;
}

function isAlike(a: Tensor, b: Tensor): boolean {
  return a.dtype === b.dtype && a.device === b.device;
}

function pair(size: nn.Size2d): readonly [number, number] {
  return typeof size === 'number' ? [size, size] : size;
}

function paddedWeight(weight: Tensor, input: Tensor): Tensor {
  const [outputs = 0, inputs = 0] = weight.shape;
  const extra = [(input.shape[1] ?? 0) - inputs, Math.ceil(outputs / 16) * 16 - outputs] as const;
  return extra[0] === 0 && extra[1] === 0
    ? weight
    : nn.functional.pad(weight, [0, 0, 0, 0, 0, extra[0], 0, extra[1]]);
}
