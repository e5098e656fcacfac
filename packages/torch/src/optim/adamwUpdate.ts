// AdamW's update in plain foreach operators, for when libtorch has no fused kernel.

import {
  foreachAddcdiv_,
  foreachAddcmul_,
  foreachAddList_,
  foreachAddScalar_,
  foreachDivList_,
  foreachDivScalar_,
  foreachMulList_,
  foreachMulScalar_,
  foreachSqrt_,
  stack,
} from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { blockElements, inBlocks } from './blocks.js';
import type { Bucket } from './optimizer.js';

export type AdamWGroupOptions = {
  readonly lr: number;
  /** Decay rates of the running averages of the gradient and its square. */
  readonly betas: readonly [number, number];
  readonly eps: number;
  readonly weightDecay: number;
  /** Uses libtorch's fused kernel if there is one. */
  readonly fused: boolean;
};

export type AdamWState = { readonly step: Tensor; readonly expAvg: Tensor; readonly expAvgSq: Tensor };

/** Matches PyTorch operator for operator; the step counts, already incremented, are read on the host. */
export function updateOnCpu(bucket: Bucket<AdamWState>, options: AdamWGroupOptions): void {
  const { lr, betas, eps, weightDecay } = options;
  for (const [step, rows] of rowsByStep(bucket.states)) {
    const correction = 1 - betas[0] ** step;
    const correctionSqrt = Math.sqrt(1 - betas[1] ** step);
    inBlocks(columnsOf(bucket, rows), blockElements(bucket.device), (block, p, g, averages, squares) => {
      foreachMulScalar_(p, 1 - lr * weightDecay);
      updateAverages(g, averages, squares, betas);
      const denominators = block.copy(squares);
      foreachSqrt_(denominators);
      foreachDivScalar_(denominators, correctionSqrt);
      foreachAddScalar_(denominators, eps);
      foreachAddcdiv_(p, averages, denominators, -lr / correction);
    });
  }
}

/** The same update with learning rate and step counts as tensors. Nothing is read back, so a CUDA graph can capture it. */
export function updateOnDevice(bucket: Bucket<AdamWState>, options: AdamWGroupOptions, rate: Tensor): void {
  const { betas, eps, weightDecay } = options;
  // Computed as -expm1(step·log β), since 1 - β^step loses digits to cancellation.
  const steps = stack(bucket.states.map(({ step }) => step)).to('float64');
  const corrections = steps.mul(Math.log(betas[0])).expm1().neg();
  const correctionSqrts = steps.mul(Math.log(betas[1])).expm1().neg().sqrt().unbind();
  const changes = rate.neg().div(corrections).unbind();
  const decay = rate.mul(-weightDecay).add(1);
  const all = bucket.parameters.map((_, row) => row);
  inBlocks(columnsOf(bucket, all), blockElements(bucket.device), (block, p, g, averages, squares) => {
    foreachMulList_(p, Array(p.length).fill(decay));
    updateAverages(g, averages, squares, betas);
    const denominators = block.copy(squares);
    foreachSqrt_(denominators);
    foreachDivList_(denominators, pick(correctionSqrts, block.rows));
    foreachAddScalar_(denominators, eps);
    foreachDivList_(denominators, pick(changes, block.rows));
    foreachAddcdiv_(p, averages, denominators);
  });
}

// Parameters that had no gradient in some steps have smaller counts.
function rowsByStep(states: readonly AdamWState[]): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  states.forEach(({ step }, row) => {
    const count = step.toNumber();
    const known = rows.get(count);
    if (known) known.push(row);
    else rows.set(count, [row]);
  });
  return rows;
}

function columnsOf(
  { parameters, gradients, states }: Bucket<AdamWState>,
  rows: readonly number[],
): Tensor[][] {
  const chosen = pick(states, rows);
  const averages = chosen.map(({ expAvg }) => expAvg);
  const squares = chosen.map(({ expAvgSq }) => expAvgSq);
  return [pick(parameters, rows), pick(gradients, rows), averages, squares];
}

function pick<T>(values: readonly T[], rows: readonly number[]): T[] {
  return rows.map((row) => values[row]!);
}

function updateAverages(
  gradients: readonly Tensor[],
  averages: readonly Tensor[],
  squares: readonly Tensor[],
  [beta1, beta2]: readonly [number, number],
): void {
  foreachMulScalar_(averages, beta1);
  foreachAddList_(averages, gradients, { alpha: 1 - beta1 });
  foreachMulScalar_(squares, beta2);
  foreachAddcmul_(squares, gradients, gradients, 1 - beta2);
}
