import { describe, expect, test } from 'vitest';
import { expectAllClose } from '../../test/closeNumbers.js';
import { type GoldenLoss, lossCases } from '../../test/lossCases.js';
import { effectiveNumberWeights } from '../balance/effectiveNumberWeights.js';
import { anyClassLoss } from './anyClassLoss.js';

function compute(
  { logits, targets, options }: GoldenLoss,
  Floats: typeof Float32Array | typeof Float64Array,
) {
  const gradient = new Floats(logits.flat().length);
  const classes = logits[0]!.length;
  const result = anyClassLoss(Floats.from(logits.flat()), targets.flat(), { ...options, classes, gradient });
  return { ...result, gradient };
}

describe.each(lossCases)('$name', (given) => {
  const { expected, options } = given;
  test('in float64 all metrics agree to 1e-9', () => {
    const { loss, rows, gradient } = compute(given, Float64Array);
    const close = (found: ArrayLike<number>, values: readonly number[]) =>
      expectAllClose(found, values, 1e-9, 1e-12);
    close([loss], [expected.loss]);
    close(gradient, expected.grad.flat());
    close(options.balance?.classWeights ?? [], expected.classWeights);
    close([options.balance?.negativeWeight ?? 1], [expected.negativeWeight]);
    close(rows.base, expected.baseRows);
    close(rows.anyClass, expected.anyRows);
    close(rows.weights, expected.rowWeights);
  });
  test('in float32 loss and gradient agree to float32 accuracy', () => {
    const { loss, gradient } = compute(given, Float32Array);
    const largest = Math.max(...expected.grad.flat().map(Math.abs));
    expectAllClose([loss], [expected.loss], 1e-5, 1e-7);
    expectAllClose(gradient, expected.grad.flat(), 1e-5, 1e-6 * largest);
  });
});

describe("the method's table, checked by hand", () => {
  const logits = new Float64Array([2, -1, 0.5, -2, -3, -0.5, 1.5, 0.25, -4]);
  const targets = new Float64Array([1, 0, 1, 0, 0, 0, 0, 1, 0]);
  const balance = effectiveNumberWeights([10, 100, 1000], 5000, { beta: 0.9999 });
  test.each([
    ['bce', 1, 0.02, 1.326046531012771],
    ['bce', 0, 0.02, 1.0382670569254282],
    ['bce', 1, 0, 1.3191894135930664],
    ['bce', 1, 1, 1.5713929077091928],
    ['focal', 1, 0.02, 0.21930530868078882],
    ['focal', 0, 0.02, 0.1962367844819377],
    ['focal', 1, 0, 0.2175416142234157],
    ['focal', 1, 1, 0.30487563219393476],
  ] as const)('%s at α %d, λ %d', (base, alpha, lambda, expected) => {
    expect(anyClassLoss(logits, targets, { classes: 3, base, alpha, lambda, balance }).loss).toBeCloseTo(
      expected,
      12,
    );
  });
});
