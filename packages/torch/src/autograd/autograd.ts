// Gradients of functions, and the modes that functions run in. The modes belong to the thread, so they accept
// synchronous functions only.

import { type Dtype, dtypeCode } from '../native/dtype.js';
import { native } from '../native/native.js';
import { places } from '../tensor/handle.js';
import { refusePromise, requireFunction } from '../tensor/memory.js';
import { Tensor } from '../tensor/tensor.js';

/**
 * Runs a function without recording gradients.
 *
 * @example
 * const logits = noGrad(() => network.forward(images));
 */
export function noGrad<T>(fn: () => T): T {
  return withGradMode(false, fn);
}

/** Records gradients again inside `noGrad`. */
export function enableGrad<T>(fn: () => T): T {
  return withGradMode(true, fn);
}

export function isGradEnabled(): boolean {
  return native.isGradModeEnabled();
}

export interface GradOptions {
  /** Upstream gradients, one for each output that is not a scalar. */
  readonly gradients?: readonly Tensor[];
  /** Keeps the graph, so that another call can use it. */
  readonly retainGraph?: boolean;
  /** Records how the gradients are computed, for second derivatives. */
  readonly createGraph?: boolean;
  /** Returns null, instead of an error, for an input that no output depends on. */
  readonly allowUnused?: boolean;
}

/**
 * Returns the gradients of outputs with respect to inputs, without changing any tensor's `grad`.
 *
 * @example
 * const [dx] = grad([x.pow(3).sum()], [x]); // 3x²
 */
export function grad(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  options: GradOptions = {},
): (Tensor | null)[] {
  const { gradients, createGraph = false, retainGraph = createGraph, allowUnused = false } = options;
  const seeds = gradients ? places(gradients, 'grad') : null;
  const found = native.grad(
    places(outputs, 'grad'),
    places(inputs, 'grad'),
    seeds,
    retainGraph,
    createGraph,
    allowUnused,
  );
  return Array.from(found, (place) => (place < 0 ? null : new Tensor(place)));
}

export interface AutocastOptions {
  readonly device?: 'cpu' | 'cuda';
  readonly dtype?: 'bfloat16' | 'float16';
  readonly enabled?: boolean;
  /** Casts each weight once per outermost autocast; off while a CUDA graph is captured. */
  readonly cache?: boolean;
}

let cacheAllowed = true;

/** Turns the weight cache off while a CUDA graph is captured. */
export function setAutocastCacheAllowed(allowed: boolean): void {
  cacheAllowed = allowed;
}

/**
 * Runs a function with libtorch's mixed precision: products and convolutions in `dtype`, sums and losses in float32.
 *
 * @example
 * const loss = autocast(() => crossEntropy(network.forward(x), y), { device: 'cuda' });
 */
export function autocast<T>(fn: () => T, options: AutocastOptions = {}): T {
  requireFunction(fn, 'autocast');
  const { device = 'cpu', dtype = 'bfloat16', enabled = true, cache = cacheAllowed } = options;
  const type: Dtype = dtype;
  const before = native.enterAutocast(device === 'cuda', enabled, dtypeCode(type, 'autocast'), cache);
  try {
    const result = fn();
    refusePromise(result, 'autocast');
    return result;
  } finally {
    native.leaveAutocast(device === 'cuda', before);
  }
}

function withGradMode<T>(on: boolean, fn: () => T): T {
  requireFunction(fn, on ? 'enableGrad' : 'noGrad');
  const before = native.setGradMode(on);
  try {
    const result = fn();
    refusePromise(result, on ? 'enableGrad' : 'noGrad');
    return result;
  } finally {
    native.setGradMode(before);
  }
}
