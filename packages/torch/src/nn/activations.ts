import { gelu, leakyRelu, leakyRelu_, silu, silu_, softmax } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { Module } from './module.js';

export interface ActivationOptions {
  /** Overwrites the input, which saves memory. */
  readonly inPlace?: boolean;
}

export class Identity extends Module {
  forward(input: Tensor): Tensor {
    return input;
  }
}

export class ReLU extends Module {
  readonly #inPlace: boolean;

  constructor({ inPlace = false }: ActivationOptions = {}) {
    super();
    this.#inPlace = inPlace;
  }

  forward(input: Tensor): Tensor {
    return this.#inPlace ? input.relu_() : input.relu();
  }
}

export class LeakyReLU extends Module {
  readonly slope: number;
  readonly #inPlace: boolean;

  constructor({ slope = 0.01, inPlace = false }: ActivationOptions & { readonly slope?: number } = {}) {
    super();
    this.slope = slope;
    this.#inPlace = inPlace;
  }

  forward(input: Tensor): Tensor {
    return this.#inPlace ? leakyRelu_(input, this.slope) : leakyRelu(input, this.slope);
  }
}

export class SiLU extends Module {
  readonly #inPlace: boolean;

  constructor({ inPlace = false }: ActivationOptions = {}) {
    super();
    this.#inPlace = inPlace;
  }

  forward(input: Tensor): Tensor {
    return this.#inPlace ? silu_(input) : silu(input);
  }
}

export class GELU extends Module {
  readonly #approximate: 'none' | 'tanh';

  constructor({ approximate = 'none' }: { readonly approximate?: 'none' | 'tanh' } = {}) {
    super();
    this.#approximate = approximate;
  }

  forward(input: Tensor): Tensor {
    return gelu(input, { approximate: this.#approximate });
  }
}

export class Sigmoid extends Module {
  forward(input: Tensor): Tensor {
    return input.sigmoid();
  }
}

export class Tanh extends Module {
  forward(input: Tensor): Tensor {
    return input.tanh();
  }
}

export class Softmax extends Module {
  readonly #dim: number;

  constructor(dim = -1) {
    super();
    this.#dim = dim;
  }

  forward(input: Tensor): Tensor {
    return softmax(input, this.#dim);
  }
}
