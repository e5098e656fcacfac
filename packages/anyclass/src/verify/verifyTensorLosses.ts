import { effectiveNumberWeights } from '@anyclass/core';
import { type Device, tensor, tidy } from '@anyclass/torch';
import { anyClassLoss } from '../losses/index.js';
import { type Check, compare, largest, worstOfCases } from './check.js';
import type { LossCase } from './vectorFile.js';

const float32 = 2e-5;
/** Gradients well below this share of the largest one in their case are compared with that share instead. */
const gradientFloor = 1e-2;

/** Checks loss and gradient of float32 tensors, computed by the device's kernel. */
export function verifyTensorLosses(cases: readonly LossCase[], device: Device): Check[] {
  return worstOfCases(cases, (given) => tidy(() => checkCase(given, device)));
}

function checkCase({ logits, targets, expected, ...given }: LossCase, device: Device): Check[] {
  const { base, alpha, lambda, gamma, beta } = given;
  const balance = effectiveNumberWeights(given.classCounts, given.negativeCount, { beta });
  const inputs = tensor(logits, { device, requiresGrad: true });
  const loss = anyClassLoss(inputs, tensor(targets, { device }), { base, alpha, lambda, gamma, balance });
  loss.backward();
  const floor = gradientFloor * largest(expected.grad);
  return [
    compare('loss on tensors', [loss.toNumber()], expected.loss, { relative: float32, floor: 1e-7 }),
    compare('gradient on tensors', inputs.grad!.toFloat32Array(), expected.grad, {
      relative: float32,
      floor,
    }),
  ];
}
