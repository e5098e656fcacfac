import { empty } from '../operators/creation.js';
import { conv2d, pad } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { initialize } from './linear.js';
import { Module } from './module.js';
import { Parameter } from './parameter.js';

/** One number for both, or height and width. */
export type Size2d = number | readonly [number, number];

export interface Conv2dOptions {
  readonly kernel: Size2d;
  readonly stride?: Size2d;
  /** Added on each side; `'same'` keeps height and width at stride 1. */
  readonly padding?: Size2d | 'same';
  readonly paddingMode?: 'zeros' | 'reflect' | 'replicate' | 'circular';
  readonly dilation?: Size2d;
  readonly groups?: number;
  readonly bias?: boolean;
}

/**
 * A two-dimensional convolution.
 *
 * @example
 * new Conv2d(3, 8, { kernel: 3, stride: 2, padding: 1 }).forward(zeros([1, 3, 32, 32])).shape // [1, 8, 16, 16]
 */
export class Conv2d extends Module {
  readonly weight: Parameter;
  readonly bias: Parameter | null;
  readonly stride: Size2d;
  readonly dilation: Size2d;
  readonly groups: number;
  /** Padding done by the convolution itself. */
  readonly #padding: Size2d;
  /** [left, right, top, bottom] of padding added before the convolution, if it cannot do it itself. */
  readonly #padded: readonly number[] | undefined;
  readonly #padMode: string;

  constructor(inputs: number, outputs: number, options: Conv2dOptions) {
    super();
    const {
      kernel,
      stride = 1,
      padding = 0,
      paddingMode = 'zeros',
      dilation = 1,
      groups = 1,
      bias = true,
    } = options;
    if (inputs % groups !== 0 || outputs % groups !== 0) {
      throw new RangeError(
        `Conv2d: ${groups} groups must divide both ${inputs} inputs and ${outputs} outputs`,
      );
    }
    if (padding === 'same' && [stride].flat().some((step) => step !== 1)) {
      throw new RangeError("Conv2d: padding 'same' needs stride 1");
    }
    const [height, width] = pair(kernel);
    this.weight = new Parameter(empty([outputs, inputs / groups, height, width]));
    this.bias = bias ? new Parameter(empty([outputs])) : null;
    this.stride = stride;
    this.dilation = dilation;
    this.groups = groups;
    const sides = padding === 'same' ? samePadding(pair(kernel), pair(dilation)) : evenPadding(pair(padding));
    const symmetric = sides[0] === sides[1] && sides[2] === sides[3];
    this.#padMode = paddingMode === 'zeros' ? 'constant' : paddingMode;
    this.#padded = paddingMode === 'zeros' && symmetric ? undefined : sides;
    this.#padding = this.#padded ? 0 : [sides[2] ?? 0, sides[0] ?? 0];
    initialize(this.weight, this.bias);
  }

  forward(input: Tensor): Tensor {
    const x = this.#padded ? pad(input, this.#padded, this.#padMode) : input;
    return conv2d(x, this.weight, this.bias, this.stride, this.#padding, this.dilation, this.groups);
  }
}

function pair(size: Size2d): readonly [number, number] {
  return typeof size === 'number' ? [size, size] : size;
}

function evenPadding([height, width]: readonly [number, number]): number[] {
  return [width, width, height, height];
}

// An even kernel cannot be centered: the extra cell goes to the right and bottom, as in PyTorch.
function samePadding(kernel: readonly [number, number], dilation: readonly [number, number]): number[] {
  const [height, width] = [dilation[0] * (kernel[0] - 1), dilation[1] * (kernel[1] - 1)];
  return [Math.floor(width / 2), Math.ceil(width / 2), Math.floor(height / 2), Math.ceil(height / 2)];
}
