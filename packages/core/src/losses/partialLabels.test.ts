import { describe, expect, test } from 'vitest';
import { anyClassLoss } from './anyClassLoss.js';
import { softplus } from './logisticTerms.js';

const unknown = Number.NaN;
const logits = [1, -2, 0.5];
const balance = { classWeights: [2, 3, 5], negativeWeight: 7 };
const options = { classes: 3, base: 'bce', lambda: 0.1, balance } as const;

/** The cross-entropy of the known targets. */
function classLoss(targets: readonly number[]): number {
  return targets.reduce((sum, y, j) => {
    if (Number.isNaN(y)) return sum;
    return sum + y * softplus(-logits[j]!) + (1 - y) * softplus(logits[j]!);
  }, 0);
}

describe.each([
  ['float64', Float64Array, 12],
  ['float32', Float32Array, 5],
] as const)('in %s', (_, Floats, digits) => {
  const compute = (targets: readonly number[]) => {
    const gradient = new Floats(3);
    const { rows, denominator } = anyClassLoss(Floats.from(logits), targets, { ...options, gradient });
    return { base: rows.base[0], any: rows.anyClass[0]!, weight: rows.weights[0], denominator, gradient };
  };

  test.each([
    { kind: 'positive', targets: [1, 0, 1], weight: 7, denominator: 2 },
    { kind: 'positive', targets: [1, unknown, 0], weight: 2, denominator: 1 },
    { kind: 'positive', targets: [0.5, unknown, 0], weight: 4.5, denominator: 1 },
    { kind: 'negative', targets: [0, 0, 0], weight: 7, denominator: 1 },
    { kind: 'negative', targets: [0.25, 0, 0], weight: 5.75, denominator: 1 },
    { kind: 'undecided', targets: [0, unknown, 0], weight: 7, denominator: 1 },
    { kind: 'undecided', targets: [unknown, unknown, 0], weight: 7, denominator: 1 },
    { kind: 'undecided', targets: [0.25, unknown, 0.25], weight: 7, denominator: 1.25 },
    { kind: 'unlabeled', targets: [unknown, unknown, unknown], weight: 0, denominator: 0 },
  ])('$targets is $kind: weight $weight, denominator $denominator', ({ kind, targets, ...expected }) => {
    const { base, any, weight, denominator, gradient } = compute(targets);
    expect(base).toBeCloseTo(classLoss(targets), digits);
    expect(weight).toBeCloseTo(expected.weight, digits);
    expect(denominator).toBeCloseTo(expected.denominator, digits);
    const isDecided = kind === 'positive' || kind === 'negative';
    expect(any > 0).toBe(isDecided);
    gradient.forEach((slope, j) => {
      if (Number.isNaN(targets[j]!)) expect(slope).toBe(0);
      else if (!isDecided) {
        const ofClass = 1 / (1 + Math.exp(-logits[j]!)) - targets[j]!;
        expect(slope).toBeCloseTo((expected.weight * ofClass) / expected.denominator, digits);
      }
    });
  });

  test('without balancing, every row with a known label has weight 1', () => {
    const targets = [1, unknown, 0, 0, 0, 0, unknown, 0, 0, unknown, unknown, unknown];
    const { rows } = anyClassLoss(new Floats(12), targets, { classes: 3, base: 'bce' });
    expect([...rows.weights]).toEqual([1, 1, 1, 0]);
  });

  test('the any-class target of soft labels is the largest known one', () => {
    const { any } = compute([0.25, 0.75, 0]);
    const absent = 0.75 * 0.1 + 0.25;
    const weights = [0.25 + 0.75 * absent, 0.75 + 0.25 * absent, absent];
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const anyLogit = weights.reduce((sum, weight, j) => sum + (weight / total) * logits[j]!, 0);
    expect(any).toBeCloseTo(0.75 * softplus(-anyLogit) + 0.25 * softplus(anyLogit), digits);
  });
});
