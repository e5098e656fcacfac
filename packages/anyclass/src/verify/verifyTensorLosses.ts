import { effectiveNumberWeights } from '@anyclass/core';
import { type Device, tensor, tidy } from '@anyclass/torch';
import { anyClassLoss } from '../losses/index.js';
import { type Check, compare, largest, worstOfCases } from './check.js';
import type { LossCase } from './vectorFile.js';

const float32 = 2e-5;
/** Gradients below this part of the largest one of their case are compared to it. */
const gradientFloor = 1e-2;

/** Loss and gradient of float32 tensors, by the kernel of the device. */
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
