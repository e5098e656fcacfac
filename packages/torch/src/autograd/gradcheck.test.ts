import { expect, test } from 'vitest';
import { gradcheckInput, gradientError } from '../../test/gradcheck.js';
import { tensor } from '../index.js';
import { dropout } from '../tensor/operators.generated.js';

test('a correct gradient agrees with the finite difference to eight digits', () => {
  const x = gradcheckInput([3, 4]);
  expect(gradientError(() => x.mul(2).exp(), [x])).toBeLessThan(1e-8);
});

test('a wrong gradient shows as a large error', () => {
  const x = gradcheckInput([3, 4]);
  // The detached factor is missing from the gradient: half of the derivative of x².
  expect(gradientError(() => x.mul(x.detach()), [x])).toBeGreaterThan(0.3);
});

test('a gradient that is missing altogether shows as an error of 1', () => {
  const x = gradcheckInput([4]);
  expect(gradientError(() => x.detach().mul(3).add(x.mul(0)), [x])).toBeCloseTo(1, 6);
});

test('the inputs are left as they were', () => {
  const x = gradcheckInput([5]);
  const before = x.toArray();
  gradientError(() => x.sin(), [x]);
  expect(x.toArray()).toEqual(before);
});

test('random layers draw the same numbers in every evaluation', () => {
  const x = gradcheckInput([20]);
  expect(gradientError(() => dropout(x, 0.5, true), [x])).toBeLessThan(1e-8);
});

test('leaves of another type are refused', () => {
  const x = tensor([1, 2], { requiresGrad: true });
  expect(() => gradientError(() => x.exp(), [x])).toThrow('float64 leaves');
});
