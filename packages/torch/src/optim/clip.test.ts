import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { onEachDevice } from '../../test/devices.js';
import { tensor, zeros } from '../index.js';
import { clipGradNorm_ } from './index.js';

interface Case {
  readonly maxNorm: number;
  readonly gradients: readonly number[][];
  readonly norm: number;
  readonly clipped: readonly number[][];
}

const cases: Case[] = JSON.parse(
  readFileSync(new URL('../../test/fixtures/optim/clip.json', import.meta.url), 'utf8'),
);

onEachDevice((device) => {
  test.each(cases)(
    'clips a norm of $norm at $maxNorm like PyTorch',
    ({ maxNorm, gradients, norm, clipped }) => {
      const parameters = gradients.map((elements) => {
        const parameter = zeros([elements.length], { dtype: 'float64', device });
        parameter.grad = tensor(elements, { dtype: 'float64', device });
        return parameter;
      });
      expect(clipGradNorm_(parameters, maxNorm).toNumber()).toBeCloseTo(norm, 12);
      parameters.forEach((parameter, i) => {
        parameter.grad
          ?.to('cpu')
          .toTypedArray()
          .forEach((element, k) => {
            expect(Math.abs(Number(element) - clipped[i]![k]!)).toBeLessThan(1e-14);
          });
      });
    },
  );

  test('gradients of several dtypes are clipped together', () => {
    const [single, double] = [zeros([1], { device }), zeros([1], { dtype: 'float64', device })];
    single.grad = tensor([3], { device });
    double.grad = tensor([4], { dtype: 'float64', device });
    expect(clipGradNorm_([single, double], 1).toNumber()).toBeCloseTo(5, 6);
    expect(single.grad.toNumber()).toBeCloseTo(0.6, 6);
    expect(double.grad.toNumber()).toBeCloseTo(0.8, 6);
  });

  test('without gradients the norm is 0', () => {
    expect(clipGradNorm_([zeros([2], { device })], 1).toNumber()).toBe(0);
  });

  test('a norm that is not finite can be an error, and then nothing changes', () => {
    const parameter = zeros([2], { device });
    parameter.grad = tensor([1, Number.POSITIVE_INFINITY], { device });
    expect(() => clipGradNorm_([parameter], 1, { errorIfNonFinite: true })).toThrow(
      'the norm of the gradients is Infinity',
    );
    expect(parameter.grad.toArray()).toEqual([1, Number.POSITIVE_INFINITY]);
    expect(clipGradNorm_([parameter], 1).toNumber()).toBe(Number.POSITIVE_INFINITY);
    expect(parameter.grad.toArray()).toEqual([0, Number.NaN]);
  });
});

test('a negative or NaN limit is refused', () => {
  expect(() => clipGradNorm_([], -1)).toThrow(RangeError);
  expect(() => clipGradNorm_([], Number.NaN)).toThrow(RangeError);
});
