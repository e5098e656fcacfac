import { adaptiveAvgPool2d, avgPool2d, maxPool2d } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import type { Size2d } from './conv.js';
import { Module } from './module.js';

export interface PoolOptions {
  readonly kernel: Size2d;
  /** Default: the kernel's size. */
  readonly stride?: Size2d;
  readonly padding?: Size2d;
  /** Lets the last window extend past the edge. */
  readonly ceilMode?: boolean;
}

/** The largest value of each window. */
export class MaxPool2d extends Module {
  readonly #options: PoolOptions & { readonly dilation?: Size2d };

  constructor(options: PoolOptions & { readonly dilation?: Size2d }) {
    super();
    this.#options = options;
  }

  forward(input: Tensor): Tensor {
    const { kernel, stride = [], padding, dilation, ceilMode } = this.#options;
    return maxPool2d(input, kernel, stride, padding, dilation, ceilMode);
  }
}

/** The mean of each window. */
export class AvgPool2d extends Module {
  readonly #options: PoolOptions & { readonly countIncludePad?: boolean };

  constructor(options: PoolOptions & { readonly countIncludePad?: boolean }) {
    super();
    this.#options = options;
  }

  forward(input: Tensor): Tensor {
    const { kernel, stride = [], padding, ceilMode, countIncludePad } = this.#options;
    // For channels-last maps on a GPU, libtorch's gradient forgets the padding (2.11 still does).
    const isWrong = padding !== undefined && padding !== 0 && input.device !== 'cpu' && input.requiresGrad;
    const x = isWrong ? input.contiguous() : input;
    return avgPool2d(x, kernel, stride, padding, ceilMode, countIncludePad);
  }
}

/** Averages over windows chosen to give an output of this size. */
export class AdaptiveAvgPool2d extends Module {
  readonly #size: Size2d;

  constructor(size: Size2d) {
    super();
    this.#size = size;
  }

  forward(input: Tensor): Tensor {
    return adaptiveAvgPool2d(input, this.#size);
  }
}

/** Joins all dimensions from `start` on into one. */
export class Flatten extends Module {
  readonly #start: number;

  constructor(start = 1) {
    super();
    this.#start = start;
  }

  forward(input: Tensor): Tensor {
    return input.flatten(this.#start);
  }
}
