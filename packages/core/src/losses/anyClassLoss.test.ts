import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { balanceOf, lossOptions } from '../../test/lossOptions.js';
import { type AnyClassLossOptions, anyClassLoss } from './anyClassLoss.js';
import { lossRows } from './lossRows.js';
import type { Reduction } from './reduction.js';

interface Batch {
  readonly logits: Float64Array;
  readonly targets: Float64Array;
  readonly options: AnyClassLossOptions & { readonly reduction?: Exclude<Reduction, 'none'> };
}

const hardLabel = fc.constantFrom(0, 0, 1);
const anyLabel = fc.oneof(hardLabel, fc.constant(Number.NaN), fc.double({ min: 0, max: 1, noNaN: true }));

/** Batches of 1 to 4 rows and 1 to 5 classes with random weights and parameters. */
function batches({ label = anyLabel, largest = 8 }: { label?: fc.Arbitrary<number>; largest?: number } = {}) {
  return fc
    .record({ rows: fc.integer({ min: 1, max: 4 }), classes: fc.integer({ min: 1, max: 5 }) })
    .chain(({ rows, classes }) => {
      const entries = rows * classes;
      const logit = fc.double({ min: -largest, max: largest, noNaN: true });
      return fc.record({
        logits: fc.array(logit, { minLength: entries, maxLength: entries }).map((z) => Float64Array.from(z)),
        targets: fc.array(label, { minLength: entries, maxLength: entries }).map((y) => Float64Array.from(y)),
        options: fc
          .tuple(lossOptions, balanceOf(classes), fc.constantFrom('batch', 'mean', 'sum'))
          .map(([parts, balance, reduction]) => ({ ...parts, classes, balance, reduction })),
      });
    });
}

function lossAndGradient({ logits, targets, options }: Batch) {
  const gradient = new Float64Array(logits.length);
  return { ...anyClassLoss(logits, targets, { ...options, gradient }), gradient };
}

function expectSame(a: Batch, b: Batch): void {
  const first = lossAndGradient(a);
  const second = lossAndGradient(b);
  expect(second.loss).toBe(first.loss);
  expect(second.gradient).toEqual(first.gradient);
}

const holds = (arbitrary: fc.Arbitrary<Batch>, property: (batch: Batch) => void) =>
  fc.assert(fc.property(arbitrary, property));

describe('for every batch', () => {
  test('γ = 0 equals BCE exactly', () => {
    holds(batches(), (batch) => {
      const gamma = 0;
      expectSame(
        { ...batch, options: { ...batch.options, base: 'focal', gamma } },
        { ...batch, options: { ...batch.options, base: 'bce' } },
      );
    });
  });

  test('ASL without a clip and with one exponent equals focal loss exactly', () => {
    holds(batches(), (batch) => {
      const { gamma = 2 } = batch.options;
      const exponents = { gammaPositive: gamma, gammaNegative: gamma, clip: 0 };
      expectSame(
        { ...batch, options: { ...batch.options, base: 'asl', ...exponents } },
        { ...batch, options: { ...batch.options, base: 'focal' } },
      );
    });
  });

  test('label smoothing equals smoothed targets in the standard loss', () => {
    holds(batches(), (batch) => {
      const options = { ...batch.options, alpha: 0, reduction: 'mean' } as const;
      const smoothing = options.smoothing ?? 0;
      const targets = batch.targets.map((y) => y * (1 - smoothing) + smoothing / 2);
      const unweighted = {
        ...options,
        balance: { classWeights: Array(options.classes).fill(0), negativeWeight: 0 },
      };
      const { rows } = lossAndGradient({ ...batch, options: unweighted });
      const direct = lossAndGradient({ ...batch, targets, options: { ...unweighted, smoothing: 0 } });
      expect(rows.base).toEqual(direct.rows.base);
    });
  });

  test('label smoothing does not change the any-class term, the weights or the denominator', () => {
    holds(batches(), (batch) => {
      const smooth = lossAndGradient(batch);
      const plain = lossAndGradient({ ...batch, options: { ...batch.options, smoothing: 0 } });
      expect(smooth.rows.anyClass).toEqual(plain.rows.anyClass);
      expect(smooth.rows.weights).toEqual(plain.rows.weights);
      expect(smooth.denominator).toBe(plain.denominator);
    });
  });

  test('α = 0 equals the standard loss, whatever λ is', () => {
    holds(batches({ label: hardLabel }), ({ logits, targets, options }) => {
      const { loss } = anyClassLoss(logits, targets, {
        ...options,
        base: 'bce',
        alpha: 0,
        smoothing: 0,
        reduction: 'mean',
      });
      let expected = 0;
      for (let row = 0; row < logits.length / options.classes; row++) {
        let crossEntropy = 0;
        let weight = 0;
        for (let j = 0; j < options.classes; j++) {
          const p = 1 / (1 + Math.exp(-logits[row * options.classes + j]!));
          const y = targets[row * options.classes + j]!;
          crossEntropy -= y * Math.log(p) + (1 - y) * Math.log(1 - p);
          weight += y * options.balance!.classWeights[j]!;
        }
        const isNegative = !targets.subarray(row * options.classes, (row + 1) * options.classes).includes(1);
        expected += (isNegative ? options.balance!.negativeWeight : weight) * crossEntropy;
      }
      expect(loss).toBeCloseTo(expected / (logits.length / options.classes), 9);
    });
  });

  test('the gradient equals finite differences', () => {
    holds(batches({ largest: 4 }), (batch) => {
      const { gradient } = lossAndGradient(batch);
      const step = 1e-5;
      gradient.forEach((slope, i) => {
        const moved = (by: number) => {
          const logits = batch.logits.slice();
          logits[i] = logits[i]! + by;
          return anyClassLoss(logits, batch.targets, batch.options).loss;
        };
        expect(slope).toBeCloseTo((moved(step) - moved(-step)) / (2 * step), 6);
      });
    });
  });

  test('λ has no influence on negatives', () => {
    holds(batches({ label: fc.constantFrom(0, Number.NaN) }), (batch) => {
      expectSame(batch, { ...batch, options: { ...batch.options, lambda: 0.5 } });
    });
  });

  test('permuting classes permutes gradients', () => {
    holds(batches(), (batch) => {
      const { classes, balance } = batch.options;
      const reversed = (values: Float64Array) =>
        values.map((_, i) => values[i - (i % classes) + (classes - 1 - (i % classes))]!);
      const classWeights = Array.from(balance!.classWeights).reverse();
      const mirrored = lossAndGradient({
        logits: reversed(batch.logits),
        targets: reversed(batch.targets),
        options: { ...batch.options, balance: { ...balance!, classWeights } },
      });
      const straight = lossAndGradient(batch);
      expect(mirrored.loss).toBeCloseTo(straight.loss, 9);
      reversed(mirrored.gradient).forEach((slope, i) => {
        expect(slope).toBeCloseTo(straight.gradient[i]!, 9);
      });
    });
  });

  test('a masked label acts like a missing class, except that a row it could turn positive has no any-class term', () => {
    holds(batches({ label: hardLabel }), ({ logits, targets, options }) => {
      const { classes } = options;
      const withExtra = (values: Float64Array, extra: number) =>
        Float64Array.from({ length: (values.length / classes) * (classes + 1) }, (_, i) => {
          const row = Math.floor(i / (classes + 1));
          const j = i % (classes + 1);
          return j === classes ? extra : values[row * classes + j]!;
        });
      const wide = {
        ...options,
        classes: classes + 1,
        balance: { ...options.balance!, classWeights: [...Array.from(options.balance!.classWeights), 7] },
      };
      const mask = withExtra(
        targets.map(() => 1),
        0,
      );
      const gradient = new Float64Array(mask.length).fill(9);
      const masked = anyClassLoss(withExtra(logits, 3), withExtra(targets, 1), { ...wide, mask, gradient });
      const narrow = lossAndGradient({ logits, targets, options });
      const standard = lossAndGradient({ logits, targets, options: { ...options, alpha: 0 } });
      const isPositive = (row: number) => targets.subarray(row * classes, (row + 1) * classes).includes(1);
      expect(masked.denominator).toBe(narrow.denominator);
      masked.rows.losses.forEach((loss, row) => {
        expect(loss).toBe((isPositive(row) ? narrow : standard).rows.losses[row]);
      });
      const expected = narrow.gradient.map((slope, i) =>
        isPositive(Math.floor(i / classes)) ? slope : standard.gradient[i]!,
      );
      expect(gradient).toEqual(withExtra(expected, 0));
      const missing = anyClassLoss(withExtra(logits, 3), withExtra(targets, Number.NaN), wide);
      expect(missing.loss).toBe(masked.loss);
    });
  });

  test('logits up to ±1e4 give finite values', () => {
    const extreme = fc.constantFrom(-1e4, -745, -88, -0, 0, 1e-300, 37, 1e4);
    holds(
      batches({ largest: 1e4 }).chain((batch) =>
        fc
          .array(extreme, { minLength: batch.logits.length, maxLength: batch.logits.length })
          .chain((z) => fc.constantFrom(batch, { ...batch, logits: Float64Array.from(z) })),
      ),
      (batch) => {
        const { loss, gradient } = lossAndGradient(batch);
        expect(Number.isFinite(loss)).toBe(true);
        expect(gradient.every(Number.isFinite)).toBe(true);
      },
    );
  });

  test('two processes with the sum of their denominators give the loss and gradient of one', () => {
    holds(batches(), ({ logits, targets, options }) => {
      const batch = { logits, targets, options: { ...options, reduction: 'batch' as const } };
      const whole = lossAndGradient(batch);
      fc.pre(whole.denominator > 0);
      const cut = options.classes * Math.floor(logits.length / options.classes / 2);
      const parts = [
        [0, cut],
        [cut, logits.length],
      ].map(([from, to]) =>
        lossAndGradient({
          logits: logits.slice(from, to),
          targets: targets.slice(from, to),
          options: { ...options, reduction: { denominator: whole.denominator } },
        }),
      );
      expect(parts[0]!.loss + parts[1]!.loss).toBeCloseTo(whole.loss, 12);
      expect([...parts[0]!.gradient, ...parts[1]!.gradient]).toEqual([...whole.gradient]);
    });
  });
});

describe('reductions', () => {
  const logits = new Float64Array([1, -1, 0.5, 2, -2, -3]);
  const targets = new Float64Array([1, 1, 0, 0, Number.NaN, Number.NaN]);
  const options = { classes: 2, base: 'bce' } as const;
  const total = anyClassLoss(logits, targets, { ...options, reduction: 'sum' }).loss;
  test('batch divides by the labels and negatives, mean by the labeled rows', () => {
    expect(anyClassLoss(logits, targets, options).loss).toBeCloseTo(total / 3, 14);
    expect(anyClassLoss(logits, targets, { ...options, reduction: 'mean' }).loss).toBeCloseTo(total / 2, 14);
  });
  test('none keeps the rows separate, each with its own gradient', () => {
    const gradient = new Float64Array(6);
    const unreduced = anyClassLoss(logits, targets, { ...options, reduction: 'none', gradient });
    expect(unreduced).not.toHaveProperty('loss');
    const first = new Float64Array(2);
    const alone = anyClassLoss(logits.slice(0, 2), targets.slice(0, 2), {
      ...options,
      reduction: 'sum',
      gradient: first,
    });
    expect(unreduced.rows.losses[0]).toBe(alone.loss);
    expect(gradient.slice(0, 2)).toEqual(first);
  });
  test('a batch without a known label has loss 0 and gradient 0', () => {
    const gradient = new Float64Array(2).fill(1);
    const unknown = new Float64Array([Number.NaN, Number.NaN]);
    const result = anyClassLoss(new Float64Array([1, 2]), unknown, { ...options, gradient });
    expect(result.loss).toBe(0);
    expect([...gradient]).toEqual([0, 0]);
  });
  test("the caller's buffers are the ones returned", () => {
    const rows = lossRows(3);
    const gradient = new Float32Array(6);
    const result = anyClassLoss(logits, targets, { ...options, rows, gradient });
    expect(result.rows).toBe(rows);
    expect(result.gradient).toBe(gradient);
    const three = lossRows(2);
    anyClassLoss(new Float64Array(6), [1, 0, 0, 0, 0, 0], { classes: 3, base: 'bce', alpha: 0, rows: three });
    for (const loss of three.losses) expect(loss).toBeCloseTo(2.0794415416798357, 14);
  });
});
