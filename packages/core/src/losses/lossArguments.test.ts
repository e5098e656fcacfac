import { describe, expect, test } from 'vitest';
import { anyClassLoss } from './anyClassLoss.js';
import { lossParts } from './lossParts.js';
import { lossRows } from './lossRows.js';

describe('bad arguments are named with their place', () => {
  const z = new Float64Array(6);
  const y = new Float64Array(6);
  const options = { classes: 3, base: 'bce' } as const;
  test.each([
    [
      'shape',
      () => anyClassLoss(new Float64Array(5), y, options),
      'logits has 5 entries, which are not whole rows of 3',
    ],
    ['classes', () => anyClassLoss(z, y, { ...options, classes: 0 }), 'classes is 0'],
    ['targets', () => anyClassLoss(z, new Float64Array(3), options), 'targets has 3 entries; expected 6'],
    [
      'label',
      () => anyClassLoss(z, new Float64Array([0, 0, 0, 0, 1.5, 0]), options),
      'targets at row 1, class 1 is 1.5',
    ],
    [
      'negative label',
      () => anyClassLoss(z, new Float64Array([-1, 0, 0, 0, 0, 0]), options),
      'targets at row 0, class 0 is -1',
    ],
    ['lambda', () => anyClassLoss(z, y, { ...options, lambda: 1.1 }), 'lambda is 1.1'],
    ['alpha', () => anyClassLoss(z, y, { ...options, alpha: -0.1 }), 'alpha is -0.1'],
    ['NaN alpha', () => anyClassLoss(z, y, { ...options, alpha: Number.NaN }), 'alpha is NaN'],
    ['gamma', () => anyClassLoss(z, y, { ...options, gamma: -1 }), 'gamma is -1'],
    ['gammaPositive', () => anyClassLoss(z, y, { ...options, gammaPositive: -1 }), 'gammaPositive is -1'],
    [
      'gammaNegative',
      () => anyClassLoss(z, y, { ...options, gammaNegative: Number.NaN }),
      'gammaNegative is NaN',
    ],
    ['clip', () => anyClassLoss(z, y, { ...options, clip: 1 }), 'clip is 1; expected from 0 to below 1'],
    ['smoothing', () => anyClassLoss(z, y, { ...options, smoothing: -0.1 }), 'smoothing is -0.1'],
    ['mask', () => anyClassLoss(z, y, { ...options, mask: [1] }), 'mask has 1 entries; expected 6'],
    [
      'gradient',
      () => anyClassLoss(z, y, { ...options, gradient: new Float64Array(2) }),
      'gradient has 2 entries; expected 6',
    ],
    [
      'rows',
      () => anyClassLoss(z, y, { ...options, rows: lossRows(3) }),
      'rows.losses has 3 entries; expected 2',
    ],
    [
      'class weights',
      () => anyClassLoss(z, y, { ...options, balance: { classWeights: [1], negativeWeight: 1 } }),
      'balance.classWeights has 1 entries; expected 3',
    ],
    [
      'a class weight',
      () =>
        anyClassLoss(z, y, { ...options, balance: { classWeights: [1, Number.NaN, 1], negativeWeight: 1 } }),
      'balance.classWeights[1] is NaN',
    ],
    [
      'denominator',
      () => anyClassLoss(z, y, { ...options, reduction: { denominator: 0 } }),
      'reduction.denominator is 0',
    ],
    [
      'logit',
      () => anyClassLoss(new Float64Array([0, 0, 0, 0, 0, Number.NaN]), y, options),
      'logits at row 1, class 2 is NaN',
    ],
    ['overflow', () => anyClassLoss(z.fill(1.7e308), y, options), 'the loss overflows'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});

test('each base stands for exponents and a clip', () => {
  const rest = { alpha: 1, lambda: 0.02, smoothing: 0 };
  const part = (gammaPositive: number, gammaNegative: number, clip: number) => ({
    term: { gammaPositive, gammaNegative, clip },
    ...rest,
  });
  expect(lossParts({ base: 'bce', gamma: 3 })).toEqual(part(0, 0, 0));
  expect(lossParts({ base: 'focal', clip: 0.2 })).toEqual(part(2, 2, 0));
  expect(lossParts({ base: 'focal', alpha: 0 })).toEqual({ ...part(2, 2, 0), alpha: 0 });
  expect(lossParts({ base: 'asl', gamma: 3 })).toEqual(part(1, 4, 0.05));
  expect(lossParts({ base: 'asl', gammaPositive: 0, gammaNegative: 2, clip: 0 })).toEqual(part(0, 2, 0));
});

test('a base loss that does not exist is named', () => {
  const fromFile: { base: 'bce' } = JSON.parse('{ "base": "any-bce" }');
  const call = () => anyClassLoss(new Float64Array(2), [0, 1], { classes: 2, ...fromFile });
  expect(call).toThrow(TypeError);
  expect(call).toThrow("base is 'any-bce'");
});
