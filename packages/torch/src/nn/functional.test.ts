import { expect, test } from 'vitest';
import { tensor, tidy } from '../index.js';
import { functional, Identity } from './index.js';

const { binaryCrossEntropyWithLogits, crossEntropy, meanAbsoluteError, meanSquaredError } = functional;

test('cross entropy is the negative logarithm of the softmax at the class', () => {
  const loss = tidy(() => crossEntropy(tensor([[2, 0, 0]]), tensor([0n])).toNumber());
  expect(loss).toBeCloseTo(-Math.log(Math.exp(2) / (Math.exp(2) + 2)), 6);
});

test('binary cross entropy of a logit of 0 is log 2, and a positive weight multiplies it', () => {
  tidy(() => {
    expect(binaryCrossEntropyWithLogits(tensor([0]), tensor([1])).toNumber()).toBeCloseTo(Math.LN2, 6);
    const weighed = binaryCrossEntropyWithLogits(tensor([0]), tensor([1]), { positiveWeight: tensor([3]) });
    expect(weighed.toNumber()).toBeCloseTo(3 * Math.LN2, 6);
  });
});

test('squared and absolute errors take the mean, the sum, or each element', () => {
  tidy(() => {
    const [x, y] = [tensor([1, 2]), tensor([3, 5])];
    expect(meanSquaredError(x, y).toNumber()).toBe(6.5);
    expect(meanSquaredError(x, y, 'sum').toNumber()).toBe(13);
    expect(meanAbsoluteError(x, y, 'none').toArray()).toEqual([2, 3]);
  });
});

test('the identity returns its input itself', () => {
  const x = tensor([1]);
  expect(new Identity().forward(x)).toBe(x);
});
