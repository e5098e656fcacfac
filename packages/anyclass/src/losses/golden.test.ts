import { type Device, tensor } from '@anyclass/torch';
import { describe, test } from 'vitest';
import { expectAllClose } from '../../../core/test/closeNumbers.js';
import { type GoldenLoss, lossCases } from '../../../core/test/lossCases.js';
import { onEachDevice } from '../../../torch/test/devices.js';
import { anyClassLoss } from './anyClassLoss.js';

function compute({ options, ...given }: GoldenLoss, dtype: 'float32' | 'float64', device: Device) {
  const logits = tensor(given.logits, { dtype, device, requiresGrad: true });
  const targets = tensor(given.targets, { dtype, device });
  const loss = anyClassLoss(logits, targets, options);
  loss.backward();
  const rows = anyClassLoss(logits, targets, { ...options, reduction: 'none' });
  return {
    loss: loss.toNumber(),
    gradient: Array.from(logits.grad!.toTypedArray(), Number),
    rows: Array.from(rows.toTypedArray(), Number),
  };
}

onEachDevice((device) => {
  describe.each(lossCases)('$name', (given) => {
    const { expected, alpha } = given;
    const rows = expected.rowWeights.map(
      (weight, i) => weight * (expected.baseRows[i]! + alpha * expected.anyRows[i]!),
    );
    const largest = Math.max(...expected.grad.flat().map(Math.abs));
    test.each([
      ['float32', 2e-5],
      ['float64', 1e-9],
    ] as const)('in %s loss, rows and gradient agree to %d', (dtype, tolerance) => {
      const found = compute(given, dtype, device);
      expectAllClose([found.loss], [expected.loss], tolerance, 1e-12);
      expectAllClose(found.rows, rows, tolerance, 1e-12);
      // A gradient near 0 is a difference of larger terms.
      expectAllClose(found.gradient, expected.grad.flat(), tolerance, (tolerance * largest) / 100);
    });
  });
});
