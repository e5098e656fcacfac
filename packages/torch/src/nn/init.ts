// PyTorch's initializers (torch.nn.init). They fill a tensor in place, without recording gradients, and return it.
// Glorot & Bengio, "Understanding the difficulty of training deep feedforward neural networks" (Xavier);
// He et al., "Delving Deep into Rectifiers", arXiv 1502.01852 (Kaiming).

import { noGrad } from '../autograd/autograd.js';
import { refusePromise, tidy } from '../tensor/memory.js';
import type { Tensor } from '../tensor/tensor.js';

export type Nonlinearity = 'linear' | 'relu' | 'leakyRelu' | 'tanh' | 'sigmoid' | 'selu';

export interface KaimingOptions {
  /** Preserves the variance of the signal forward (fanIn) or of the gradient backward (fanOut). */
  readonly mode?: 'fanIn' | 'fanOut';
  readonly nonlinearity?: Nonlinearity;
  /** The negative slope of a leaky ReLU. */
  readonly slope?: number;
}

export function constant_(tensor: Tensor, value: number): Tensor {
  return noGrad(() => tensor.fill_(value));
}

let isDrawing = true;

/**
 * Builds modules whose weights will be loaded. Initializers write zeros instead of drawing random numbers, which would
 * take seconds for a large network, and the generator's state does not change.
 *
 * @example
 * const layer = init.withoutDrawing(() => new Linear(4096, 4096));
 * layer.loadStateDict(trained);
 */
export function withoutDrawing<T>(build: () => T): T {
  const before = isDrawing;
  isDrawing = false;
  try {
    const result = build();
    refusePromise(result, 'withoutDrawing');
    return result;
  } finally {
    isDrawing = before;
  }
}

export function uniform_(tensor: Tensor, from = 0, to = 1): Tensor {
  return noGrad(() => (isDrawing ? tensor.uniform_(from, to) : tensor.zero_()));
}

export function normal_(tensor: Tensor, mean = 0, standardDeviation = 1): Tensor {
  return noGrad(() => (isDrawing ? tensor.normal_(mean, standardDeviation) : tensor.zero_()));
}

/** Draws from a normal distribution truncated to [low, high], with the inverse of its distribution function. */
export function truncatedNormal_(
  tensor: Tensor,
  mean = 0,
  standardDeviation = 1,
  low = -2,
  high = 2,
): Tensor {
  const integralTo = (x: number) => (1 + erf((x - mean) / standardDeviation / Math.SQRT2)) / 2;
  return noGrad(() => {
    if (!isDrawing) return tensor.zero_();
    tensor.uniform_(2 * integralTo(low) - 1, 2 * integralTo(high) - 1);
    tidy(() => tensor.copy_(tensor.erfinv()));
    return tensor
      .mul_(standardDeviation * Math.SQRT2)
      .add_(mean)
      .clamp_(low, high);
  });
}

export function xavierUniform_(tensor: Tensor, scale = 1): Tensor {
  const bound = scale * Math.sqrt(6 / (fan(tensor, 'fanIn') + fan(tensor, 'fanOut')));
  return uniform_(tensor, -bound, bound);
}

export function xavierNormal_(tensor: Tensor, scale = 1): Tensor {
  return normal_(tensor, 0, scale * Math.sqrt(2 / (fan(tensor, 'fanIn') + fan(tensor, 'fanOut'))));
}

export function kaimingUniform_(tensor: Tensor, options: KaimingOptions = {}): Tensor {
  const bound = Math.sqrt(3) * kaimingDeviation(tensor, options);
  return uniform_(tensor, -bound, bound);
}

export function kaimingNormal_(tensor: Tensor, options: KaimingOptions = {}): Tensor {
  return normal_(tensor, 0, kaimingDeviation(tensor, options));
}

/**
 * Returns the factor that makes up for a nonlinearity shrinking the signal.
 *
 * @example
 * gain('relu') // 1.4142…
 */
export function gain(nonlinearity: Nonlinearity, slope = 0.01): number {
  switch (nonlinearity) {
    case 'relu':
      return Math.SQRT2;
    case 'leakyRelu':
      return Math.sqrt(2 / (1 + slope ** 2));
    case 'tanh':
      return 5 / 3;
    case 'selu':
      return 3 / 4;
    case 'linear':
    case 'sigmoid':
      return 1;
  }
}

/** How many inputs reach one output (fanIn), or outputs one input reaches (fanOut), for a weight [out, in, …kernel]. */
export function fan(tensor: Tensor, mode: 'fanIn' | 'fanOut'): number {
  const [out, into, ...kernel] = tensor.shape;
  if (out === undefined || into === undefined) {
    throw new RangeError(
      `fan needs a weight of two or more dimensions, not of shape [${tensor.shape.join(', ')}]`,
    );
  }
  return kernel.reduce((product, size) => product * size, mode === 'fanIn' ? into : out);
}

function kaimingDeviation(
  tensor: Tensor,
  { mode = 'fanIn', nonlinearity = 'leakyRelu', slope = 0 }: KaimingOptions,
): number {
  return gain(nonlinearity, slope) / Math.sqrt(fan(tensor, mode));
}

// Abramowitz & Stegun 7.1.26 is good to 1e-7; this series (7.1.6) is exact to double precision for |x| below 6.
function erf(x: number): number {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
