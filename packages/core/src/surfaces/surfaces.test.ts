import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyClassLoss } from '../losses/anyClassLoss.js';
import { logit } from '../losses/logisticTerms.js';
import { type LikelihoodQuantity, likelihood } from './likelihood.js';
import { logLikelihoodGradient } from './likelihoodGradient.js';
import { likelihoodSurface, likelihoodSurfaces, type SurfaceKind } from './likelihoodSurface.js';

const probability = fc.double({ min: 0.01, max: 0.99, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const label = fc.constantFrom(0, 1);
const exponent = fc.constantFrom(0, 0.5, 2, 3.7);
const quantities: LikelihoodQuantity[] = [
  'product',
  'geometric-mean',
  'normalized-product',
  'normalized-geometric-mean',
  'bce',
  'any-class',
  'any-class-product',
  'combined',
  'combined-product',
];

test('the examples in the documentation hold', () => {
  expect(likelihood('product', [0.9, 0.2], [1, 0], { lambda: 0.5 })).toBeCloseTo(0.4024922359499622, 14);
  expect(likelihood('any-class', [0.9, 0.2], [1, 0], { lambda: 0.5 })).toBeCloseTo(0.7315926860816613, 14);
  expect(likelihood('any-class', [0.1, 0.2], [0, 0])).toBeCloseTo(0.8571428571428571, 14);
  const { axis, values } = likelihoodSurface({ quantity: 'any-class', targets: [1, 0], lambda: 1, steps: 3 });
  expect([...axis]).toEqual([0.01, 0.5, 0.99]);
  expect(values[4]).toBeCloseTo(0.5, 14);
  const arrays = [new Float32Array(9), new Float32Array(9)] as const;
  const kinds = [{ quantity: 'combined' }, { quantity: 'combined', negativeLog: true }] as const;
  expect([...likelihoodSurfaces(kinds, { targets: [1, 1], steps: 3 }, arrays)]).toEqual([0.01, 0.5, 0.99]);
  expect(arrays[0][4]).toBeCloseTo(0.125, 7);
  expect(arrays[1][4]).toBeCloseTo(Math.log(8), 6);
  const [along1, along2] = logLikelihoodGradient('bce', [0.8, 0.2], [1, 0]);
  expect(along1).toBeCloseTo(1.25, 14);
  expect(along2).toBeCloseTo(-1.25, 14);
  for (const along of logLikelihoodGradient('any-class', [0.8, 0.2], [1, 0], { lambda: 1 }))
    expect(along).toBeCloseTo(1.5625, 13);
});

test('the quantities equal the products that define them', () => {
  fc.assert(
    fc.property(probability, probability, label, label, share, (p1, p2, y1, y2, lambda) => {
      const absent = y1 + y2 === 0 ? 1 : lambda;
      const [w1, w2] = [y1 === 1 ? 1 : absent, y2 === 1 ? 1 : absent];
      const product = (a: number, b: number) => a ** w1 * b ** w2;
      const mean = (a: number, b: number) => product(a, b) ** (1 / (w1 + w2));
      const at = (quantity: LikelihoodQuantity) => likelihood(quantity, [p1, p2], [y1, y2], { lambda });
      expect(at('product')).toBeCloseTo(product(p1, p2), 12);
      expect(at('geometric-mean')).toBeCloseTo(mean(p1, p2), 12);
      const normalized = (of: typeof product) => of(p1, p2) / (of(p1, p2) + of(1 - p1, 1 - p2));
      expect(at('normalized-product')).toBeCloseTo(normalized(product), 12);
      expect(at('normalized-geometric-mean')).toBeCloseTo(normalized(mean), 12);
      const truth = (value: number) => (y1 + y2 > 0 ? value : 1 - value);
      expect(at('any-class')).toBeCloseTo(truth(normalized(mean)), 12);
      expect(at('any-class-product')).toBeCloseTo(truth(normalized(product)), 12);
      expect(at('bce')).toBeCloseTo((y1 === 1 ? p1 : 1 - p1) * (y2 === 1 ? p2 : 1 - p2), 12);
      expect(at('combined-product')).toBeCloseTo(at('bce') * at('any-class-product'), 12);
    }),
  );
});

test.each(['bce', 'focal'] as const)(
  '-log of the combined likelihood is the any-class loss based on %s',
  (base) => {
    fc.assert(
      fc.property(
        probability,
        probability,
        share,
        share,
        share,
        share,
        exponent,
        (p1, p2, y1, y2, lambda, alpha, given) => {
          const gamma = base === 'bce' ? 0 : given;
          const options = { lambda, alpha, gamma };
          const { loss } = anyClassLoss(new Float64Array([logit(p1), logit(p2)]), [y1, y2], {
            ...options,
            classes: 2,
            base,
            reduction: 'sum',
          });
          expect(-Math.log(likelihood('combined', [p1, p2], [y1, y2], options))).toBeCloseTo(loss, 9);
        },
      ),
    );
  },
);

test.each(quantities)('the gradient of log %s matches finite differences', (quantity) => {
  const inside = fc.double({ min: 0.05, max: 0.95, noNaN: true });
  fc.assert(
    fc.property(
      inside,
      inside,
      share,
      share,
      share,
      share,
      exponent,
      (p1, p2, y1, y2, lambda, alpha, gamma) => {
        fc.pre(Math.max(y1, y2) > 1e-3);
        const at = (a: number, b: number) =>
          Math.log(likelihood(quantity, [a, b], [y1, y2], { lambda, alpha, gamma }));
        const step = 1e-5;
        const gradient = logLikelihoodGradient(quantity, [p1, p2], [y1, y2], { lambda, alpha, gamma });
        expect(gradient[0]).toBeCloseTo((at(p1 + step, p2) - at(p1 - step, p2)) / (2 * step), 4);
        expect(gradient[1]).toBeCloseTo((at(p1, p2 + step) - at(p1, p2 - step)) / (2 * step), 4);
      },
    ),
  );
});

test.each(quantities)('the %s surface holds the value at every point, or its -log', (quantity) => {
  fc.assert(
    fc.property(share, share, share, share, exponent, (y1, y2, lambda, alpha, gamma) => {
      fc.pre(lambda > 1e-3 || Math.max(y1, y2) > 1e-3);
      for (const targets of [
        [y1, y2],
        [Math.round(y1), Math.round(y2)],
      ] as [number, number][]) {
        const options = { quantity, targets, lambda, alpha, gamma, steps: 4 };
        const { axis, values } = likelihoodSurface(options);
        const losses = likelihoodSurface({ ...options, negativeLog: true }).values;
        values.forEach((value, index) => {
          const point = [axis[index % 4]!, axis[Math.floor(index / 4)]!];
          expect(value).toBeCloseTo(likelihood(quantity, point, targets, options), 13);
          expect(losses[index]).toBeCloseTo(-Math.log(value), 10);
        });
      }
    }),
  );
});

test('surfaces computed together in float32 match those computed one by one', () => {
  const kinds: SurfaceKind[] = quantities.flatMap((quantity) => [
    { quantity },
    { quantity, negativeLog: true },
  ]);
  const options = { targets: [0, 1], lambda: 0.1, alpha: 0.4, gamma: 2, steps: 7 } as const;
  const together = kinds.map(() => new Float32Array(49));
  likelihoodSurfaces(kinds, options, together);
  for (const [index, kind] of kinds.entries()) {
    const alone = likelihoodSurface({ ...kind, ...options }).values;
    for (const [n, value] of together[index]!.entries()) {
      expect(Math.abs(value - alone[n]!)).toBeLessThanOrEqual(3e-7 * Math.max(1, alone[n]!));
    }
  }
});

test('a loss surface handles probabilities of 0 and 1e-300', () => {
  const options = { quantity: 'any-class-product', negativeLog: true, targets: [1, 1], steps: 2 } as const;
  expect(likelihoodSurface({ ...options, from: 0, to: 0.5 }).values[0]).toBe(Number.POSITIVE_INFINITY);
  expect(likelihoodSurface({ ...options, from: 1e-300 }).values[0]).toBeCloseTo(600 * Math.LN10, 9);
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
    ['gamma', () => likelihood('bce', [0.2], [1], { gamma: -1 }), 'gamma is -1'],
    ['gradient', () => logLikelihoodGradient('bce', [0.2, 1], [1, 0]), 'probabilities[1] is 1'],
    [
      'arrays',
      () => likelihoodSurfaces([{ quantity: 'bce' }], { targets: [1, 0], steps: 3 }, [new Float32Array(8)]),
      'values[0] has 8 entries; expected 9',
    ],
    ['targets', () => likelihoodSurface({ quantity: 'bce', targets: [2, 0] }), 'targets[0] is 2'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});
