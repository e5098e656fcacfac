import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyClassLoss } from '../losses/anyClassLoss.js';
import { logit } from '../losses/logisticTerms.js';
import { type LikelihoodQuantity, likelihood } from './likelihood.js';
import { likelihoodSurface } from './likelihoodSurface.js';

const probability = fc.double({ min: 0.01, max: 0.99, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const label = fc.constantFrom(0, 1);
const quantities: LikelihoodQuantity[] = [
  'product',
  'geometric-mean',
  'normalised-product',
  'normalised-geometric-mean',
  'bce',
  'any-class',
  'any-class-product',
  'combined',
  'combined-product',
];

test('the examples of the documentation hold', () => {
  expect(likelihood('product', [0.9, 0.2], [1, 0], { lambda: 0.5 })).toBeCloseTo(0.4024922359499622, 14);
  expect(likelihood('any-class', [0.9, 0.2], [1, 0], { lambda: 0.5 })).toBeCloseTo(0.7315926860816613, 14);
  expect(likelihood('any-class', [0.1, 0.2], [0, 0])).toBeCloseTo(0.8571428571428571, 14);
  const { axis, values } = likelihoodSurface({ quantity: 'any-class', targets: [1, 0], lambda: 1, steps: 3 });
  expect([...axis]).toEqual([0.01, 0.5, 0.99]);
  expect(values[4]).toBeCloseTo(0.5, 14);
});

test('the forms are the products that define them', () => {
  fc.assert(
    fc.property(probability, probability, label, label, share, (p1, p2, y1, y2, lambda) => {
      const absent = y1 + y2 === 0 ? 1 : lambda;
      const [w1, w2] = [y1 === 1 ? 1 : absent, y2 === 1 ? 1 : absent];
      const product = (a: number, b: number) => a ** w1 * b ** w2;
      const mean = (a: number, b: number) => product(a, b) ** (1 / (w1 + w2));
      const at = (quantity: LikelihoodQuantity) => likelihood(quantity, [p1, p2], [y1, y2], { lambda });
      expect(at('product')).toBeCloseTo(product(p1, p2), 12);
      expect(at('geometric-mean')).toBeCloseTo(mean(p1, p2), 12);
      const normalised = (of: typeof product) => of(p1, p2) / (of(p1, p2) + of(1 - p1, 1 - p2));
      expect(at('normalised-product')).toBeCloseTo(normalised(product), 12);
      expect(at('normalised-geometric-mean')).toBeCloseTo(normalised(mean), 12);
      const truth = (value: number) => (y1 + y2 > 0 ? value : 1 - value);
      expect(at('any-class')).toBeCloseTo(truth(normalised(mean)), 12);
      expect(at('any-class-product')).toBeCloseTo(truth(normalised(product)), 12);
      expect(at('bce')).toBeCloseTo((y1 === 1 ? p1 : 1 - p1) * (y2 === 1 ? p2 : 1 - p2), 12);
      expect(at('combined-product')).toBeCloseTo(at('bce') * at('any-class-product'), 12);
    }),
  );
});

test('-log of the combined likelihood is the any-class loss', () => {
  fc.assert(
    fc.property(probability, probability, label, label, share, share, (p1, p2, y1, y2, lambda, alpha) => {
      const { loss } = anyClassLoss(new Float64Array([logit(p1), logit(p2)]), [y1, y2], {
        classes: 2,
        base: 'bce',
        lambda,
        alpha,
        reduction: 'sum',
      });
      expect(-Math.log(likelihood('combined', [p1, p2], [y1, y2], { lambda, alpha }))).toBeCloseTo(loss, 9);
    }),
  );
});

test.each(quantities)('the %s surface holds the value of every point, and its -log', (quantity) => {
  const options = { quantity, targets: [1, 0], lambda: 0.3, alpha: 0.7, steps: 5 } as const;
  const { axis, values } = likelihoodSurface(options);
  const losses = likelihoodSurface({ ...options, negativeLog: true }).values;
  values.forEach((value, index) => {
    const point = [axis[index % 5]!, axis[Math.floor(index / 5)]!];
    expect(value).toBeCloseTo(likelihood(quantity, point, [1, 0], options), 13);
    expect(losses[index]).toBeCloseTo(-Math.log(value), 12);
  });
});

describe('bad arguments are named', () => {
  test.each([
    ['probability', () => likelihood('bce', [1.2], [1]), 'probabilities[0] is 1.2'],
    ['target', () => likelihood('bce', [0.2, 0.3], [1, Number.NaN]), 'targets[1] is NaN'],
    ['length', () => likelihood('bce', [0.2], []), '1 probabilities and 0 targets'],
    ['lambda', () => likelihood('bce', [0.2], [1], { lambda: -1 }), 'lambda is -1'],
    ['steps', () => likelihoodSurface({ quantity: 'bce', targets: [1, 0], steps: 1 }), 'steps is 1'],
    [
      'axis',
      () => likelihoodSurface({ quantity: 'bce', targets: [1, 0], from: 0.9, to: 0.1 }),
      'from 0.9 to 0.1',
    ],
    ['targets', () => likelihoodSurface({ quantity: 'bce', targets: [2, 0] }), 'targets[0] is 2'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});
