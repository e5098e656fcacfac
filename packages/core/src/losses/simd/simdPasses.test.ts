import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { balanceOf, lossOptions } from '../../../test/lossOptions.js';
import { type AnyClassLossOptions, anyClassLoss } from '../anyClassLoss.js';
import type { Reduction } from '../reduction.js';
import { lossKernelBytes } from './lossKernel.js';

interface Batch {
  readonly logits: Float32Array;
  readonly targets: Float32Array;
  readonly options: AnyClassLossOptions & { readonly reduction?: Exclude<Reduction, 'none'> };
}

const target = fc.oneof(fc.constantFrom(0, 0, 1, Number.NaN), fc.float({ min: 0, max: 1, noNaN: true }));

/** Up to 4 rows of up to 11 classes: whole groups of lanes and partial ones. */
function batches(logit: fc.Arbitrary<number>): fc.Arbitrary<Batch> {
  return fc
    .record({ rows: fc.integer({ min: 1, max: 4 }), classes: fc.integer({ min: 1, max: 11 }) })
    .chain(({ rows, classes }) => {
      const entries = { minLength: rows * classes, maxLength: rows * classes };
      return fc.record({
        logits: fc.array(logit, entries).map((z) => Float32Array.from(z)),
        targets: fc.array(target, entries).map((y) => Float32Array.from(y)),
        options: fc
          .tuple(
            lossOptions,
            fc.option(balanceOf(classes), { nil: undefined }),
            fc.constantFrom('batch', 'mean', 'sum'),
          )
          .map(([parts, balance, reduction]) => ({
            ...parts,
            classes,
            ...(balance && { balance }),
            reduction,
          })),
      });
    });
}

function compute(batch: Batch, logits: Float32Array | Float64Array) {
  const gradient = new Float64Array(logits.length);
  return { ...anyClassLoss(logits, batch.targets, { ...batch.options, gradient }), gradient };
}

// Relative to the size of the sums behind the value: a term may be a small difference of large logits.
function expectClose(found: number, expected: number, size: number): void {
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(3e-6 * Math.abs(expected) + 1e-6 * size);
}

describe('float32 with SIMD agrees with float64', () => {
  test.each([
    ['ordinary logits', fc.float({ min: -12, max: 12, noNaN: true })],
    ['large logits', fc.float({ min: -200, max: 200, noNaN: true })],
    ['the extremes of float16', fc.constantFrom(-65504, -1e4, -100, -0, 0, 3, 100, 1e4, 65504)],
  ])('for %s, in loss, rows and gradient', (_, logit) => {
    fc.assert(
      fc.property(batches(logit), (batch) => {
        const fast = compute(batch, batch.logits);
        const exact = compute(batch, Float64Array.from(batch.logits));
        const largest = Math.max(1, ...batch.logits.map(Math.abs));
        expectClose(fast.loss, exact.loss, largest);
        expectClose(fast.denominator, exact.denominator, 1);
        exact.rows.base.forEach((loss, row) => {
          expectClose(fast.rows.base[row]!, loss, largest);
          expectClose(fast.rows.anyClass[row]!, exact.rows.anyClass[row]!, largest);
          expectClose(fast.rows.weights[row]!, exact.rows.weights[row]!, 1);
        });
        const scale = exact.denominator > 0 ? largest * Math.max(1, 1 / exact.denominator) : 1;
        exact.gradient.forEach((slope, i) => {
          expect(Number.isFinite(fast.gradient[i])).toBe(true);
          expectClose(fast.gradient[i]!, slope, scale);
        });
      }),
    );
  });

  test('for logits near the largest float32, where float64 takes over if necessary', () => {
    const logits = Float32Array.of(3e38, -3e38, 3e38, -3e38, -3e38, -3e38, 3e38, -3e38, 3e38);
    const targets = Float32Array.of(1, 0, 1, 0, 0, 0, 0, 1, 0);
    for (const base of ['bce', 'focal', 'asl'] as const) {
      const batch = { logits, targets, options: { classes: 3, base } };
      const exact = compute(batch, Float64Array.from(logits));
      const fast = compute(batch, logits);
      expect(fast.loss / exact.loss).toBeCloseTo(1, 6);
      fast.gradient.forEach((slope, i) => {
        expect(slope).toBeCloseTo(exact.gradient[i]!, 6);
      });
    }
  });

  test('and stays finite for all of them', () => {
    const extreme = fc.constantFrom(-3e38, -1e30, -100, -1, 0, 3, 100, 1e30, 3e38);
    fc.assert(
      fc.property(batches(extreme), (batch) => {
        const { loss, gradient } = compute(batch, batch.logits);
        expect(Number.isFinite(loss)).toBe(true);
        expect(gradient.every(Number.isFinite)).toBe(true);
      }),
    );
  });

  test('for ordinary logits to one part in a million, so it is full float32 precision', () => {
    const logits = Float32Array.from({ length: 410 }, (_, i) => Math.sin(i) * 6);
    const targets = Float32Array.from({ length: 410 }, (_, i) => (i % 17 === 0 ? 1 : 0));
    for (const base of ['bce', 'focal', 'asl'] as const) {
      const batch = { logits, targets, options: { classes: 41, base } };
      const exact = compute(batch, Float64Array.from(logits));
      const fast = compute(batch, logits);
      expect(fast.loss / exact.loss).toBeCloseTo(1, 6);
      fast.gradient.forEach((slope, i) => {
        expect(slope).toBeCloseTo(exact.gradient[i]!, 7);
      });
    }
  });
});

test.each([
  { base: 'bce' },
  { base: 'focal' },
  { base: 'asl', clip: 0 },
  { base: 'asl', clip: 0.0625 },
  { base: 'asl', clip: 0.0625, gammaNegative: 0 },
  { base: 'asl', clip: 0.0625, gammaPositive: 0, gammaNegative: 1.5 },
] as const)('each term has float32 accuracy: %j', (parts) => {
  // Near the clip, p - clip has few digits in any 32-bit arithmetic.
  const logits = Float32Array.from({ length: 4001 }, (_, i) => (i - 2000) / 100).filter(
    (z) => parts.base !== 'asl' || Math.abs(1 / (1 + Math.exp(-z)) - parts.clip) > 0.01 || z < -10,
  );
  const tolerance = parts.base === 'bce' ? 2.5e-7 : 6e-6;
  const smallestNormal = 2 ** -126;
  for (const target of [0, 1]) {
    const targets = new Float32Array(logits.length).fill(target);
    const options = { classes: 1, ...parts, alpha: 0, reduction: 'none' } as const;
    const gradient = new Float32Array(logits.length);
    const exactGradient = new Float64Array(logits.length);
    const fast = anyClassLoss(logits, targets, { ...options, gradient }).rows.base;
    const exact = anyClassLoss(Float64Array.from(logits), targets, { ...options, gradient: exactGradient })
      .rows.base;
    exact.forEach((loss, row) => {
      expect(Math.abs(fast[row]! - loss)).toBeLessThanOrEqual(tolerance * loss + smallestNormal);
      const slope = exactGradient[row]!;
      expect(Math.abs(gradient[row]! - slope)).toBeLessThanOrEqual(
        tolerance * Math.abs(slope) + smallestNormal,
      );
    });
  }
});

test('without class balancing, every labeled row has weight 1', () => {
  const targets = [1, 0, 0, 0, Number.NaN, Number.NaN];
  const { rows } = anyClassLoss(new Float32Array(6), targets, { classes: 2, base: 'bce' });
  expect([...rows.weights]).toEqual([1, 1, 0]);
});

test('a target out of range gives the same error as in float64', () => {
  const targets = [0, 0, 0, 0, 0, -0.5];
  expect(() => anyClassLoss(new Float32Array(6), targets, { classes: 3, base: 'bce' })).toThrow(
    'targets at row 1, class 2 is -0.5',
  );
});

test('a logit that is not a number is named', () => {
  const logits = new Float32Array([0, Number.NaN]);
  expect(() => anyClassLoss(logits, [0, 0], { classes: 2, base: 'focal' })).toThrow(
    'logits at row 0, class 1 is NaN',
  );
});

describe('if WebAssembly is unavailable', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  const logits = Float32Array.from([0.3, -2, 5, 1, 0, -1]);
  const targets = [1, 0, 0, 0, 1, 0];
  const options = { classes: 3, base: 'focal' } as const;
  const exact = anyClassLoss(Float64Array.from(logits), targets, options).loss;

  test('this platform has it, and it is used', () => {
    expect(WebAssembly.validate(lossKernelBytes())).toBe(true);
    const { loss } = anyClassLoss(logits, targets, options);
    expect(loss).not.toBe(exact);
    expect(loss).toBeCloseTo(exact, 6);
  });
  test.each([
    ['absent', undefined],
    [
      'forbidden',
      {
        Module: class {
          constructor() {
            throw new Error('forbidden');
          }
        },
      },
    ],
  ])('%s, the scalar passes are used', async (_, stub) => {
    vi.resetModules();
    vi.stubGlobal('WebAssembly', stub);
    const fresh = await import('../anyClassLoss.js');
    expect(fresh.anyClassLoss(logits, targets, options).loss).toBe(exact);
  });
});
