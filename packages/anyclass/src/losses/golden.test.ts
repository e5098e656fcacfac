import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { effectiveNumberWeights } from '@anyclass/core';
import { type Device, tensor } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { onEachDevice } from '../../../torch/test/devices.js';
import { anyClassLoss } from './anyClassLoss.js';

interface LossCase {
  readonly logits: number[][];
  readonly targets: number[][];
  readonly classCounts: number[];
  readonly negativeCount: number;
  readonly beta: number;
  readonly base: 'bce' | 'focal';
  readonly gamma: number;
  readonly alpha: number;
  readonly lambda: number;
  readonly expected: {
    readonly loss: number;
    readonly grad: number[][];
    readonly baseRows: number[];
    readonly anyRows: number[];
    readonly rowWeights: number[];
  };
}

const file = fileURLToPath(new URL('../../../core/test/vectors/losses.json', import.meta.url));
const cases: LossCase[] = JSON.parse(readFileSync(file, 'utf8'));

function compute(given: LossCase, dtype: 'float32' | 'float64', device: Device) {
  const { base, alpha, lambda, gamma, beta } = given;
  const balance = effectiveNumberWeights(given.classCounts, given.negativeCount, { beta });
  const logits = tensor(given.logits, { dtype, device, requiresGrad: true });
  const targets = tensor(given.targets, { dtype, device });
  const options = { base, alpha, lambda, gamma, balance };
  const loss = anyClassLoss(logits, targets, options);
  loss.backward();
  const rows = anyClassLoss(logits, targets, { ...options, reduction: 'none' });
  return {
    loss: loss.toNumber(),
    gradient: Array.from(logits.grad!.toTypedArray(), Number),
    rows: Array.from(rows.toTypedArray(), Number),
  };
}

function expectClose(
  found: readonly number[],
  expected: readonly number[],
  relative: number,
  absolute: number,
) {
  expect(found.length).toBe(expected.length);
  expected.forEach((value, i) => {
    expect(Math.abs(found[i]! - value)).toBeLessThanOrEqual(relative * Math.abs(value) + absolute);
  });
}

onEachDevice((device) => {
  describe.each(cases.map((given, index) => ({ ...given, index })))(
    'case $index: $base, α $alpha, λ $lambda, γ $gamma, β $beta',
    (given) => {
      const { expected } = given;
      const rows = expected.rowWeights.map(
        (weight, i) => weight * (expected.baseRows[i]! + given.alpha * expected.anyRows[i]!),
      );
      const largest = Math.max(...expected.grad.flat().map(Math.abs));
      test.each([
        ['float32', 2e-5],
        ['float64', 1e-9],
      ] as const)('in %s loss, rows and gradient agree to %d', (dtype, tolerance) => {
        const found = compute(given, dtype, device);
        expectClose([found.loss], [expected.loss], tolerance, 1e-12);
        expectClose(found.rows, rows, tolerance, 1e-12);
        // A gradient near 0 is a difference of larger ones.
        expectClose(found.gradient, expected.grad.flat(), tolerance, (tolerance * largest) / 100);
      });
    },
  );
});
