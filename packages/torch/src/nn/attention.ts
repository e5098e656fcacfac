// Vaswani et al., "Attention Is All You Need", arXiv 1706.03762. Parameter names and initialization as in PyTorch's
// MultiheadAttention; always batch-first.

import { isGradEnabled } from '../autograd/autograd.js';
import { hasOperator } from '../native/operator.js';
import { empty, zeros } from '../operators/creation.js';
import { place } from '../tensor/handle.js';
import { refusePromise } from '../tensor/memory.js';
import {
  dropout as dropoutOperator,
  efficientAttention,
  scaledDotProductAttention as fusedAttention,
  linear,
  pad,
  where,
  zerosLike,
} from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { constant_, xavierUniform_ } from './init.js';
import { Linear } from './linear.js';
import { Module } from './module.js';
import { Parameter } from './parameter.js';

export interface AttentionOptions {
  /** Added to the scores; a bool mask is true where a query may attend. Broadcasts to [batch, heads, query, key]. */
  readonly mask?: Tensor | null;
  readonly dropout?: number;
  /** Factor for the scores; default 1/√width. */
  readonly scale?: number;
}

/**
 * Computes softmax(q kᵀ · scale + mask) v over the last two dimensions, with fused kernels from libtorch 2.0 on.
 *
 * @example
 * scaledDotProductAttention(q, k, v).shape // [batch, heads, queries, width of v]
 */
export function scaledDotProductAttention(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions = {},
): Tensor {
  for (const tensor of [query, key, value]) place(tensor, 'scaledDotProductAttention');
  const { mask = null, dropout = 0, scale = 1 / Math.sqrt(query.shape.at(-1) ?? 1) } = options;
  if (!watch && hasOperator('aten::scaled_dot_product_attention')) {
    // The fused operator needs a mask with at least two dimensions.
    const broadcast = mask?.ndim === 1 ? mask.unsqueeze(0) : mask;
    if (broadcast && dropout === 0 && isShort(query, key))
      return shortAttention(query, key, value, broadcast, scale);
    return fusedAttention(query, key, value, broadcast, dropout, false, { scale });
  }
  const scores = query.mul(scale).matmul(key.transpose(-2, -1));
  const weights = (mask ? scores.add(additive(mask, scores)) : scores).softmax(-1);
  watch?.(weights);
  return (dropout > 0 ? dropoutOperator(weights, dropout, true) : weights).matmul(value);
}

// libtorch prefers cuDNN's kernel for masked attention without gradients, which takes three times as long as its other one for the 49 tokens of a window.
const mostTokensOfWindow = 128;

function isShort(query: Tensor, key: Tensor): boolean {
  const isWindow = [query, key].every(
    (tensor) => tensor.ndim === 4 && (tensor.shape[2] ?? 0) <= mostTokensOfWindow,
  );
  const isHalf = query.dtype === 'bfloat16' || query.dtype === 'float16';
  return (
    isWindow &&
    isHalf &&
    query.device.startsWith('cuda') &&
    !isGradEnabled() &&
    hasOperator('aten::_scaled_dot_product_efficient_attention')
  );
}

function shortAttention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scale: number): Tensor {
  const [batch = 0, heads = 0, queries = 0] = query.shape;
  const keys = key.shape[2] ?? 0;
  // The kernel reads rows of the mask from multiples of 16 bytes.
  const bias = additive(mask, query).to(query.dtype);
  const aligned = pad(bias, [0, Math.ceil(keys / 8) * 8 - keys]).narrow(-1, 0, keys);
  return efficientAttention(
    query,
    key,
    value,
    aligned.expand([batch, heads, queries, keys]),
    false,
    0,
    false,
    { scale },
  )[0];
}

let watch: ((weights: Tensor) => void) | undefined;

/**
 * Runs a function and reports the weights of every attention in it, [batch, heads, queries, keys], in order. They are part of the
 * graph, so gradients with respect to them exist; `keep` those that are needed later.
 *
 * @example
 * watchAttention((weights) => seen.push(weights.shape), () => network.forward(images));
 */
export function watchAttention<T>(report: (weights: Tensor) => void, fn: () => T): T {
  const before = watch;
  watch = report;
  try {
    const result = fn();
    refusePromise(result, 'watchAttention');
    return result;
  } finally {
    watch = before;
  }
}

export interface MultiheadAttentionOptions {
  readonly dropout?: number;
  readonly bias?: boolean;
}

/**
 * Multi-head attention, with the three input projections in one weight.
 *
 * @example
 * const attention = new MultiheadAttention(64, 4);
 * attention.forward(x).shape // x [batch, length, 64] attends to itself
 */
export class MultiheadAttention extends Module {
  readonly inProjWeight: Parameter;
  readonly inProjBias: Parameter | null;
  readonly outProj: Linear;
  readonly heads: number;
  readonly #width: number;
  readonly #dropout: number;

  constructor(width: number, heads: number, { dropout = 0, bias = true }: MultiheadAttentionOptions = {}) {
    super();
    if (width % heads !== 0)
      throw new RangeError(`MultiheadAttention: ${heads} heads do not divide the width ${width}`);
    this.heads = heads;
    this.#width = width;
    this.#dropout = dropout;
    this.inProjWeight = new Parameter(empty([3 * width, width]));
    this.inProjBias = bias ? new Parameter(zeros([3 * width])) : null;
    this.outProj = new Linear(width, width, { bias });
    xavierUniform_(this.inProjWeight);
    if (this.outProj.bias) constant_(this.outProj.bias, 0);
  }

  /** Queries attend to keys and values, all [batch, length, width]; to themselves if only queries are given. */
  forward(
    query: Tensor,
    key: Tensor = query,
    value: Tensor = key,
    options: { readonly mask?: Tensor | null } = {},
  ): Tensor {
    const [q, k, v] = this.#project(query, key, value);
    const dropout = this.training ? this.#dropout : 0;
    const attended = scaledDotProductAttention(q, k, v, { mask: options.mask ?? null, dropout });
    const [batch = 0, , length = 0] = attended.shape;
    return this.outProj.forward(attended.transpose(1, 2).reshape([batch, length, this.#width]));
  }

  #project(query: Tensor, key: Tensor, value: Tensor): [Tensor, Tensor, Tensor] {
    if (query === key && key === value) {
      const [q, k, v] = linear(query, this.inProjWeight, this.inProjBias).chunk(3, -1);
      return [this.#split(q!), this.#split(k!), this.#split(v!)];
    }
    const weights = this.inProjWeight.chunk(3);
    const biases = this.inProjBias?.chunk(3);
    const project = (input: Tensor, i: number) => this.#split(linear(input, weights[i]!, biases?.[i]));
    return [project(query, 0), project(key, 1), project(value, 2)];
  }

  /** [batch, length, width] → [batch, heads, length, width / heads] */
  #split(x: Tensor): Tensor {
    const [batch = 0, length = 0] = x.shape;
    return x.reshape([batch, length, this.heads, this.#width / this.heads]).transpose(1, 2);
  }
}

function additive(mask: Tensor, scores: Tensor): Tensor {
  if (mask.dtype !== 'bool') return mask;
  return where(mask, zerosLike(mask, { dtype: scores.dtype }), Number.NEGATIVE_INFINITY);
}
