// A convolution without bias and its batch norm, which are folded into one convolution with bias for inference:
// s · (W x) + t = (s W) x + t, with s and t the norm's scale and shift in evaluation.

import { nn, noGrad, type Tensor, tidy } from '@anyclass/torch';
import { ActivatedBatchNorm, type ActivatedBatchNormOptions } from './activatedBatchNorm.js';
import { DepthwiseConv } from './depthwiseConv.js';

export interface ConvNormOptions extends Omit<nn.Conv2dOptions, 'bias'> {
  readonly norm?: ActivatedBatchNormOptions;
  /** The kind of convolution. Default nn.Conv2d. */
  readonly convolution?: typeof nn.Conv2d;
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

  constructor(
    inputs: number,
    outputs: number,
    { norm, convolution = nn.Conv2d, ...options }: ConvNormOptions,
  ) {
    super();
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
    const x = this.#conv.forward(input);
    if (!this.#folded) return this.norm.forward(x);
    const isActivated = this.#conv instanceof DepthwiseConv && this.#conv.isActivated;
    return isActivated ? x : this.norm.activate(x);
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
