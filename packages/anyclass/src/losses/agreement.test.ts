import { type LossOptions, anyClassLoss as reference } from '@anyclass/core';
import { type Device, type Dtype, tensor, tidy } from '@anyclass/torch';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balanceOf, lossOptions } from '../../../core/test/lossOptions.js';
import { onEachDevice } from '../../../torch/test/devices.js';
import { gradientError } from '../../../torch/test/gradcheck.js';
import { anyClassLoss, anyClassSums } from './anyClassLoss.js';

type LogitDtype = 'float32' | 'float64' | 'float16' | 'bfloat16';

interface Batch {
  readonly classes: number;
  readonly logits: Float64Array;
  readonly targets: Float64Array;
  readonly mask: Uint8Array | undefined;
  readonly options: LossOptions & {
    readonly balance?: { readonly classWeights: number[]; readonly negativeWeight: number };
    readonly reduction: 'batch' | 'mean' | 'sum';
  };
}

const hardLabel = fc.constantFrom(0, 0, 0, 1);
const anyLabel = fc.oneof(hardLabel, fc.constant(Number.NaN), fc.constantFrom(0.25, 0.5, 0.875));
// Multiples of 1/8 below 16 are exact in every float type, so both sides see the same logits.
const logit = fc.integer({ min: -128, max: 127 }).map((eighths) => eighths / 8);

/** Batches whose rows are shorter and longer than a vector and a warp. */
function batches({ label = anyLabel }: { label?: fc.Arbitrary<number> } = {}): fc.Arbitrary<Batch> {
  const classCount = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(17, 32, 33, 64));
  return fc
    .record({ rows: fc.integer({ min: 1, max: 5 }), classes: classCount })
    .chain(({ rows, classes }) => {
      const length = { minLength: rows * classes, maxLength: rows * classes };
      return fc.record({
        classes: fc.constant(classes),
        logits: fc.array(logit, length).map((z) => Float64Array.from(z)),
        targets: fc.array(label, length).map((y) => Float64Array.from(y)),
        mask: fc.option(
          fc.array(fc.constantFrom(0, 1, 1), length).map((m) => Uint8Array.from(m)),
          { nil: undefined },
        ),
        options: fc
          .tuple(
            lossOptions,
            fc.option(balanceOf(classes), { nil: undefined }),
            fc.constantFrom('batch', 'mean', 'sum'),
          )
          .map(([parts, balance, reduction]) => ({ ...parts, ...(balance && { balance }), reduction })),
      });
    });
}

function onTensors(
  { classes, options, ...data }: Batch,
  device: Device,
  dtype: LogitDtype,
  targetDtype: Dtype,
) {
  return tidy(() => {
    const shape = [data.logits.length / classes, classes];
    const logits = tensor(data.logits, { shape, dtype, device });
    logits.requiresGrad = true;
    const targets = tensor(data.targets, { shape, dtype: targetDtype, device });
    const mask = data.mask && { mask: tensor(data.mask, { shape, device }) };
    const loss = anyClassLoss(logits, targets, { ...options, ...mask });
    loss.backward();
    const rows = anyClassLoss(logits, targets, { ...options, ...mask, reduction: 'none' });
    return {
      loss: loss.toNumber(),
      rows: rows.toFloat32Array(),
      gradient: logits.grad!.toFloat32Array(),
    };
  });
}

function expectAgreement(batch: Batch, device: Device, dtype: LogitDtype, targetDtype: Dtype): void {
  const { logits, targets, classes, options, mask } = batch;
  const gradient = new Float64Array(logits.length);
  const given = { ...options, classes, gradient, ...(mask && { mask }) };
  const { loss, rows } = reference(logits, targets, given);
  const found = onTensors(batch, device, dtype, targetDtype);
  expectClose([found.loss], [loss], 2e-5);
  expectClose(found.rows, rows.losses, 2e-5);
  // A half-precision gradient is rounded to 11 or 8 bits, and to float16's smallest number. If a soft label's two slopes
  // cancel, what remains has the rounding error of a slope near 1 in float32, which is about as large.
  const rounding = { float16: 2 ** -11, bfloat16: 2 ** -8, float32: 0, float64: 0 }[dtype];
  expectClose(found.gradient, gradient, 2e-5 + rounding, dtype === 'float64' ? 0 : 2 ** -24);
}

/** Expects all values to agree within a fraction of the largest one. */
function expectClose(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  absolute = 0,
): void {
  const largest = Array.from(expected).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    if (!(Math.abs(found[i]! - expected[i]!) <= tolerance * largest + absolute)) {
      expect.fail(`at ${i}: ${found[i]}, expected ${expected[i]} (largest ${largest})`);
    }
  }
}

onEachDevice((device) => {
  test.each(['float32', 'float64', 'float16', 'bfloat16'] as const)(
    'for every batch of %s logits, loss, rows and gradient match core',
    (dtype) => {
      fc.assert(
        fc.property(batches(), (batch) => expectAgreement(batch, device, dtype, 'float32')),
        { numRuns: dtype === 'float64' ? 25 : 80 },
      );
    },
  );

  test.each(['uint8', 'bool', 'int64', 'float64', 'bfloat16'] as const)(
    'for every batch of hard labels in %s, loss, rows and gradient match core',
    (targetDtype) => {
      fc.assert(
        fc.property(batches({ label: hardLabel }), (batch) => {
          expectAgreement(batch, device, 'float32', targetDtype);
          expectAgreement(batch, device, 'float64', targetDtype);
        }),
        { numRuns: 15 },
      );
    },
  );

  test('for every batch, the gradient of float64 logits agrees with finite differences', () => {
    fc.assert(
      fc.property(
        batches().filter(({ logits }) => logits.length <= 20),
        ({ logits, targets, classes, options }) => {
          const shape = [logits.length / classes, classes];
          const z = tensor(logits, { shape, device, requiresGrad: true });
          const y = tensor(targets, { shape, device });
          expect(gradientError(() => anyClassLoss(z, y, options), [z], { step: 1e-5 })).toBeLessThan(1e-5);
          expect(
            gradientError(() => anyClassLoss(z, y, { ...options, reduction: 'none' }), [z], { step: 1e-5 }),
          ).toBeLessThan(1e-5);
        },
      ),
      { numRuns: 6 },
    );
  });

  test('rows count as much as their weights say; the denominator counts each once', () => {
    fc.assert(
      fc.property(batches(), fc.nat(99), ({ logits, targets, classes, options }, seed) => {
        const shape = [logits.length / classes, classes];
        const weights = Float32Array.from({ length: shape[0]! }, (_, row) => ((row * 7 + seed) % 5) / 4);
        const { rows, denominator } = reference(logits, targets, { ...options, classes });
        const sum = rows.losses.reduce((total, loss, row) => total + weights[row]! * loss, 0);
        const z = tensor(logits, { shape, dtype: 'float32', device, requiresGrad: true });
        const y = tensor(targets, { shape, dtype: 'float32', device });
        const loss = anyClassLoss(z, y, { ...options, weights: tensor(weights, { device }) });
        loss.backward();
        expectClose([loss.toNumber()], [denominator === 0 ? 0 : sum / denominator], 2e-5, 1e-6);
        const gradient = new Float64Array(logits.length);
        reference(logits, targets, { ...options, classes, gradient });
        const weighted = gradient.map((slope, i) => slope * weights[Math.floor(i / classes)]!);
        expectClose(z.grad!.toFloat32Array(), weighted, 2e-5, 1e-6);
      }),
      { numRuns: 40 },
    );
  });

  test('γ = 0 equals BCE exactly', () => {
    fc.assert(
      fc.property(batches(), (batch) => {
        const [focal, bce] = (['focal', 'bce'] as const).map((base) =>
          onTensors(
            { ...batch, options: { ...batch.options, base, gamma: 0 } },
            device,
            'float32',
            'float32',
          ),
        );
        expect(focal).toEqual(bce);
      }),
      { numRuns: 30 },
    );
  });

  test('processes that sum their denominators get the same loss and gradient as one process', () => {
    fc.assert(
      fc.property(batches(), ({ logits, targets, classes, options }) => {
        const shape = [logits.length / classes, classes];
        const z = tensor(logits, { shape, dtype: 'float32', device, requiresGrad: true });
        const y = tensor(targets, { shape, dtype: 'float32', device });
        const given = { ...options, reduction: options.reduction === 'mean' ? 'mean' : 'batch' } as const;
        anyClassLoss(z, y, given).backward();
        const whole = z.grad!.toFloat32Array();
        const cut = Math.floor(shape[0]! / 2);
        const parts = [z.detach().narrow(0, 0, cut), z.detach().narrow(0, cut, shape[0]! - cut)];
        const sums = parts.map((part, i) => {
          part.requiresGrad = true;
          const labels = i === 0 ? y.narrow(0, 0, cut) : y.narrow(0, cut, shape[0]! - cut);
          return anyClassSums(part, labels, given);
        });
        const denominator = sums[0]!.denominator.add(sums[1]!.denominator);
        for (const { numerator } of sums) numerator.div(denominator).backward();
        const gathered = parts.flatMap((part) => [...part.grad!.toFloat32Array()]);
        expectClose(gathered, whole, 1e-6);
      }),
      { numRuns: 30 },
    );
  });
});
