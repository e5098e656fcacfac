import { anyClassLoss as reference } from '@anyclass/core';
import { grad, noGrad, rand, randn, setSeed, type Tensor, tensor, zeros } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { onEachDevice } from '../../../torch/test/devices.js';
import { handBalance as balance, handLogits, handTargets } from '../../test/handExample.js';
import { anyClassLoss, anyClassSums } from './anyClassLoss.js';
import { lossNames, namedLoss } from './lossNames.js';

onEachDevice((device) => {
  const targets = tensor(handTargets, { device });
  const gradientOf = (loss: Tensor, logits: Tensor) =>
    Array.from(grad([loss], [logits])[0]!.toFloat32Array());

  test('the examples in the documentation hold', () => {
    const logits = tensor(handLogits, { device, requiresGrad: true });
    const loss = anyClassLoss(logits, targets, { ...namedLoss('any-focal'), balance });
    expect(loss.toNumber()).toBeCloseTo(0.2193053, 6);
    expect(loss.shape).toEqual([]);
    const { numerator, denominator } = anyClassSums(logits, targets, { base: 'bce' });
    expect(denominator.toNumber()).toBe(4);
    expect(numerator.div(denominator).toNumber()).toBeCloseTo(
      anyClassLoss(logits, targets, { base: 'bce' }).toNumber(),
      6,
    );
    expect(anyClassSums(logits, targets, { base: 'bce', reduction: 'mean' }).denominator.toNumber()).toBe(3);
  });

  test('class weights in a tensor act like plain numbers', () => {
    const logits = tensor(handLogits, { device });
    const onDevice = { ...balance, classWeights: tensor(balance.classWeights, { device }) };
    const [numbers, tensors] = [balance, onDevice].map((weights) =>
      anyClassLoss(logits, targets, { base: 'bce', balance: weights }).toNumber(),
    );
    expect(tensors).toBe(numbers);
  });

  test('the loss of a well-classified row keeps its relative accuracy', () => {
    for (const z of [-5, -15, -40, -80]) {
      const logits = tensor([[z, z]], { device });
      const found = anyClassLoss(logits, zeros([1, 2], { device }), { base: 'bce' }).toNumber();
      expect(found / (3 * Math.log1p(Math.exp(z)))).toBeCloseTo(1, 5);
    }
  });

  test('transposed and strided logits and targets are read through their strides', () => {
    setSeed(1);
    const wide = randn([6, 10], { device, requiresGrad: true });
    const labels = rand([6, 10], { device }).gt(0.7);
    const views = [
      [wide.transpose(0, 1), labels.transpose(0, 1)],
      [wide.narrow(1, 2, 5), labels.narrow(1, 2, 5)],
    ] as const;
    for (const [logits, y] of views) {
      expect(logits.isContiguous()).toBe(false);
      const direct = anyClassLoss(logits, y, { base: 'focal' });
      const copied = anyClassLoss(logits.contiguous(), y.contiguous(), { base: 'focal' });
      expect(direct.toNumber()).toBe(copied.toNumber());
      expect(gradientOf(direct, wide)).toEqual(gradientOf(copied, wide));
    }
  });

  test('rows that start at unaligned addresses are read correctly', () => {
    setSeed(2);
    const all = randn([3, 8], { device }).reshape([24]);
    const logits = all.narrow(0, 1, 16).reshape([2, 8]);
    const y = rand([2, 8], { device }).gt(0.5);
    const found = anyClassLoss(logits, y, { base: 'focal' }).toNumber();
    expect(found).toBe(anyClassLoss(logits.clone(), y, { base: 'focal' }).toNumber());
  });

  test("each row's gradient is scaled by its upstream gradient", () => {
    const logits = tensor(handLogits, { device, requiresGrad: true });
    const rows = anyClassLoss(logits, targets, { base: 'focal', reduction: 'none' });
    const factors = tensor([1, -2, 0.5], { device });
    const weighed = gradientOf(rows.mul(factors).sum(), logits);
    const plain = gradientOf(anyClassLoss(logits, targets, { base: 'focal', reduction: 'sum' }), logits);
    weighed.forEach((slope, i) => {
      expect(slope).toBeCloseTo(plain[i]! * [1, -2, 0.5][Math.floor(i / 3)]!, 6);
    });
  });

  test.each([
    [3000, 33, 'focal'],
    [5, 2049, 'focal'],
    [3, 5000, 'focal'],
    [3000, 33, 'asl'],
    [3, 5000, 'asl'],
  ] as const)(
    '%d rows of %d classes with %s give the same bits every time and match core',
    (rows, classes, base) => {
      setSeed(3);
      const logits = randn([rows, classes], { device, requiresGrad: true });
      const labels = rand([rows, classes], { device }).lt(0.02).to('uint8');
      const loss = () => anyClassLoss(logits, labels, { base });
      const found = [loss().toNumber(), ...gradientOf(loss(), logits)];
      expect([loss().toNumber(), ...gradientOf(loss(), logits)]).toEqual(found);
      const gradient = new Float64Array(rows * classes);
      const y = Array.from(labels.toTypedArray(), Number);
      const z = logits.detach().toFloat32Array();
      const expected = [reference(z, y, { classes, base, gradient }).loss, ...gradient];
      const largest = Math.max(...gradient.map(Math.abs));
      const error = expected.map((value, i) => Math.abs(value - found[i]!));
      expect(error[0]! / expected[0]!).toBeLessThan(1e-6);
      expect(Math.max(...error.slice(1)) / largest).toBeLessThan(2e-6);
    },
  );

  test('inside noGrad nothing is recorded, and second derivatives are refused', () => {
    const logits = tensor(handLogits, { device, requiresGrad: true });
    expect(noGrad(() => anyClassLoss(logits, targets, { base: 'bce' })).requiresGrad).toBe(false);
    const loss = anyClassLoss(logits, targets, { base: 'bce' });
    expect(() => grad([loss], [logits], { createGraph: true })).toThrow('no second derivatives');
  });
});

test('names stand for base and α', () => {
  expect(lossNames.map((name) => namedLoss(name))).toEqual([
    { base: 'bce', alpha: 0 },
    { base: 'focal', alpha: 0 },
    { base: 'asl', alpha: 0 },
    { base: 'bce', alpha: 1 },
    { base: 'focal', alpha: 1 },
    { base: 'asl', alpha: 1 },
  ]);
  expect(namedLoss('any-bce', 0.5)).toEqual({ base: 'bce', alpha: 0.5 });
  const unknownName: string = 'hinge';
  expect(() => Reflect.apply(namedLoss, undefined, [unknownName])).toThrow(
    "unknown loss 'hinge'; expected one of bce",
  );
});

describe('bad arguments are named', () => {
  const z = zeros([2, 3]);
  const y = zeros([2, 3]);
  const weights = { classWeights: [1, 1, 1], negativeWeight: 1 };
  test.each([
    [
      'logits',
      () => anyClassLoss(zeros([3]), zeros([3]), { base: 'bce' }),
      'logits is float32[3]; expected [rows, classes]',
    ],
    [
      'no classes',
      () => anyClassLoss(zeros([2, 0]), zeros([2, 0]), { base: 'bce' }),
      'with at least one class',
    ],
    ['integers', () => anyClassLoss(z.to('int64'), y, { base: 'bce' }), 'expected a floating-point dtype'],
    [
      'targets',
      () => anyClassLoss(z, zeros([2, 4]), { base: 'bce' }),
      "targets is float32[2, 4]; expected the logits' shape [2, 3]",
    ],
    [
      'mask',
      () => anyClassLoss(z, y, { base: 'bce', mask: zeros([2], { dtype: 'bool' }) }),
      'mask is bool[2]',
    ],
    [
      'mask dtype',
      () => anyClassLoss(z, y, { base: 'bce', mask: y }),
      'mask is float32[2, 3]; expected bool or uint8',
    ],
    [
      'alpha',
      () => anyClassLoss(z, y, { base: 'bce', alpha: -0.1 }),
      'alpha is -0.1; expected a number from 0 to 1',
    ],
    ['lambda', () => anyClassLoss(z, y, { base: 'bce', lambda: Number.NaN }), 'lambda is NaN'],
    ['gamma', () => anyClassLoss(z, y, { base: 'focal', gamma: -1 }), 'gamma is -1'],
    ['clip', () => anyClassLoss(z, y, { base: 'asl', clip: 1 }), 'clip is 1'],
    [
      'class weights',
      () => anyClassLoss(z, y, { base: 'bce', balance: { ...weights, classWeights: [1] } }),
      'balance.classWeights has 1 entries; expected 3',
    ],
    [
      'weight tensor',
      () => anyClassLoss(z, y, { base: 'bce', balance: { ...weights, classWeights: zeros([4]) } }),
      'balance.classWeights has 4 entries',
    ],
    [
      'negative weight',
      () => anyClassLoss(z, y, { base: 'bce', balance: { ...weights, negativeWeight: -1 } }),
      'balance.negativeWeight is -1',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message);
  });
});
