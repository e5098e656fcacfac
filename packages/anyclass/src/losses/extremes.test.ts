// At the extremes of the float types, and for batches without labels, loss and gradient stay finite.

import { type LossOptions, anyClassLoss as reference } from '@anyclass/core';
import { grad, type Tensor, tensor, zeros } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { onEachDevice } from '../../../torch/test/devices.js';
import { handBalance as balance, handTargets } from '../../test/handExample.js';
import { anyClassLoss, anyClassSums } from './anyClassLoss.js';

const everyBase: readonly LossOptions[] = [
  { base: 'bce' },
  { base: 'focal' },
  { base: 'focal', gamma: 0.5 },
  { base: 'focal', gamma: 5 },
  { base: 'asl' },
  { base: 'asl', gammaPositive: 0, gammaNegative: 0.5, clip: 0.1 },
  { base: 'asl', clip: 0 },
];

onEachDevice((device) => {
  const targets = tensor(handTargets, { device });
  const gradientOf = (loss: Tensor, logits: Tensor) =>
    Array.from(grad([loss], [logits])[0]!.toFloat32Array());

  test.each([
    ['float32', 100],
    ['float32', 65504],
    ['float16', 65504],
    ['bfloat16', 65280],
  ] as const)('%s logits of ±%d give a finite loss and gradient', (dtype, largest) => {
    const logits = tensor(
      [
        [largest, -largest, largest],
        [-largest, -largest, -largest],
        [largest, -largest, largest],
      ],
      { dtype, device, requiresGrad: true },
    );
    for (const parts of everyBase) {
      for (const smoothing of [0, 0.1]) {
        const loss = anyClassLoss(logits, targets, { ...parts, smoothing, balance });
        expect(loss.dtype).toBe('float32');
        expect(Number.isFinite(loss.toNumber())).toBe(true);
        const gradient = gradientOf(loss, logits);
        expect(gradient.every(Number.isFinite)).toBe(true);
        expect(gradient.some((slope) => slope !== 0)).toBe(true);
      }
    }
  });

  test.each(['float32', 'float64'] as const)(
    "%s logits near the largest float32 match core's gradient",
    (dtype) => {
      const z = [3e38, -3e38, 3e38, -3e38, -3e38, -3e38, 3e38, -3e38, 3e38];
      const logits = tensor(z, { shape: [3, 3], dtype, device, requiresGrad: true });
      for (const parts of everyBase) {
        const gradient = new Float64Array(9);
        const given = { ...parts, balance, reduction: 'mean' } as const;
        reference(Float64Array.from(z), targets.flatten().toFloat32Array(), {
          ...given,
          classes: 3,
          gradient,
        });
        const found = gradientOf(anyClassLoss(logits, targets, given), logits);
        expect(found).toEqual(Array.from(gradient, (slope) => expect.closeTo(slope, 5)));
      }
    },
  );

  test('if logits near the largest float32 are classified correctly, or clipped, the loss is finite too', () => {
    const logits = tensor([[3e38, -3e38, 3e38]], { device });
    const right = tensor([[1, 0, 1]], { device });
    for (const parts of everyBase) expect(anyClassLoss(logits, right, parts).toNumber()).toBe(0);
    const loss = anyClassLoss(logits, zeros([1, 3], { device }), { base: 'asl' }).toNumber();
    // p_m is 0.95 for two classes, 0 for the third, and 0.95 again for the any-class probability.
    expect(loss).toBeCloseTo(3 * 0.95 ** 4 * -Math.log(0.05), 4);
  });

  test('a batch without rows or without a known label has loss 0 and gradient 0', () => {
    const empty = zeros([0, 4], { device, requiresGrad: true });
    const none = anyClassLoss(empty, zeros([0, 4], { device }), { base: 'bce' });
    expect(none.toNumber()).toBe(0);
    expect(gradientOf(none, empty)).toEqual([]);
    const logits = tensor([[1, Number.NaN]], { device, requiresGrad: true });
    const unknown = tensor([[Number.NaN, Number.NaN]], { device });
    for (const dtype of ['float32', 'float64'] as const) {
      const loss = anyClassLoss(logits.to(dtype), unknown, {
        base: 'focal',
        balance: { classWeights: [1, 1], negativeWeight: 1 },
      });
      expect(loss.toNumber()).toBe(0);
      expect(gradientOf(loss, logits)).toEqual([0, 0]);
    }
  });

  test.each(['batch', 'mean'] as const)(
    'a batch without a known label has loss 0 and gradient 0 when split into parts: %s',
    (reduction) => {
      const unknown = tensor([[Number.NaN, Number.NaN]], { device });
      const options = { base: 'asl', reduction } as const;
      for (const dtype of ['float32', 'float64'] as const) {
        const logits = tensor([[1, -2]], { dtype, device, requiresGrad: true });
        const { numerator, denominator } = anyClassSums(logits, unknown, options);
        const loss = numerator.div(denominator.add(denominator));
        expect(loss.toNumber()).toBe(0);
        // Scaled as a gradient scaler would.
        expect(gradientOf(loss.mul(65536), logits)).toEqual([0, 0]);
        const labeled = anyClassSums(logits, tensor([[1, 0]], { device }), options).denominator;
        expect(labeled.add(denominator).toNumber()).toBe(1);
      }
    },
  );

  test('a NaN among the logits reaches the loss', () => {
    const logits = tensor([[Number.NaN, 1]], { device });
    for (const parts of everyBase) {
      expect(anyClassLoss(logits, zeros([1, 2], { device }), parts).toNumber()).toBeNaN();
      expect(anyClassLoss(logits.to('float64'), zeros([1, 2], { device }), parts).toNumber()).toBeNaN();
    }
  });
});
