// The step between two branches of a residual network: one branch's output is added to the stream, and the sum is
// normalized for the next branch. On a GPU, the kernels in packages/anyclass/native do this in one pass over the tokens;
// elsewhere it is composed of several operators.

import { type nn, ones, type Tensor } from '@anyclass/torch';
import { gpuOperator, isForKernels } from './gpuOperator.js';
import type { LayerNorm } from './layerNorm.js';
import { addSquares, checkSquares, cutIntoSquares, type Squares } from './squares.js';

/** A branch's output, to be added to a residual stream. */
export interface Branch {
  readonly values: Tensor;
  /** Skips the branch for some images in training. */
  readonly stochasticDepth?: nn.StochasticDepth;
  /** Set if the values are arranged in squares of the stream's map. */
  readonly squares?: Squares;
}

/** A residual stream, and a branch still to be added to it, which the next norm does in the same pass. */
export interface Residual {
  readonly stream: Tensor;
  readonly branch?: Branch;
}

export interface ResidualStep {
  step(residual: Residual): Required<Residual>;
}

export interface ResidualNormOptions {
  readonly branch?: Branch | undefined;
  /** Added to each channel of the sum for the norm alone; it gets no gradient. */
  readonly shift?: Tensor | undefined;
  /** Returns the normalized tokens arranged in squares of the stream's map. */
  readonly squares?: Squares | undefined;
}

const operator = gpuOperator('residual_layer_norm');
const mostChannels = 768;

/**
 * Returns the stream [batch, …, channels] with the branch added, and the sum's layer norm. On a GPU, the norm has the dtype
 * that autocast gives to the next linear layer.
 *
 * @example
 * const { sum, normed } = residualNorm(norm, stream, { branch: { values } });
 * normed.equal(norm.forward(stream.add(values))) // true, on the CPU
 */
export function residualNorm(
  norm: LayerNorm,
  stream: Tensor,
  options: ResidualNormOptions = {},
): { sum: Tensor; normed: Tensor } {
  if (isFused(stream)) return fused(norm, stream, options);
  const { branch, shift, squares } = options;
  const sum = branch ? addBranch(stream, branch) : stream;
  const shifted = shift ? sum.add(shift) : sum;
  return { sum, normed: norm.forward(squares ? cutIntoSquares(shifted, squares) : shifted) };
}

/**
 * Returns the stream with the branch added.
 *
 * @example
 * addBranch(stream, { values, stochasticDepth: new nn.StochasticDepth(0.1) })
 */
export function addBranch(stream: Tensor, { values, stochasticDepth, squares }: Branch): Tensor {
  const scaled = (x: Tensor) => stochasticDepth?.forward(x) ?? x;
  if (squares) return addSquares(stream, values, squares, scaled);
  const scale = isForKernels(stream) && branchScale(stream, stochasticDepth);
  if (!scale) return stream.add(scaled(values));
  return stream.addcmul(values, scale.view(stream.shape.map((size, i) => (i === 0 ? size : 1))));
}

/**
 * Passes a stream through several steps; all branches except the last are added. Intermediate tensors are freed; the
 * autograd graph keeps what backward needs.
 *
 * @example
 * const { stream, branch } = throughSteps([windowAttention, gridAttention], map);
 */
export function throughSteps(steps: readonly ResidualStep[], start: Tensor): Residual {
  let residual: Residual = { stream: start };
  for (const step of steps) {
    const next = step.step(residual);
    residual.branch?.values.dispose();
    if (residual.stream !== start) residual.stream.dispose();
    residual = next;
  }
  return residual;
}

function isFused(stream: Tensor): boolean {
  const channels = stream.shape.at(-1) ?? 0;
  return isForKernels(stream) && channels % 8 === 0 && channels <= mostChannels && operator() !== null;
}

function fused(norm: LayerNorm, stream: Tensor, { branch, shift, squares }: ResidualNormOptions) {
  for (const cut of [branch?.squares, squares]) if (cut) checkSquares(stream.shape, cut.side);
  const [sum, normed] = operator()!(
    stream,
    branch?.values ?? null,
    branchScale(stream, branch?.stochasticDepth),
    shift ?? null,
    norm.weight!,
    norm.bias!,
    norm.eps,
    ...cutOf(branch?.squares),
    ...cutOf(squares),
  );
  return { sum: sum!, normed: normed! };
}

function cutOf(squares: Squares | undefined): [side: number, isGrid: boolean, shift: number] {
  return [squares?.side ?? 0, squares?.axis === 'grid', squares?.shift ?? 0];
}

/** Returns what stochastic depth multiplies each image's branch by; null if it does nothing. */
function branchScale(stream: Tensor, stochasticDepth: nn.StochasticDepth | undefined): Tensor | null {
  if (!stochasticDepth?.training || stochasticDepth.probability === 0) return null;
  const [batch = 0] = stream.shape;
  return stochasticDepth.forward(ones([batch], { device: stream.device, dtype: stream.dtype }));
}
