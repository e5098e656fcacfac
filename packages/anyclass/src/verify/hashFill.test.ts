import { nn, zeros } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { fillByHash, hashImages, hashUniform } from './hashFill.js';

class Entries extends nn.Module {
  readonly weight = new nn.Parameter(zeros([1000]));
  readonly kernel = new nn.Parameter(zeros([4, 3, 5, 5]));
  readonly runningMean = zeros([1000]);
  readonly runningVar = zeros([1000]);
  readonly numBatchesTracked = zeros([], { dtype: 'int64' });
}

test('the hash gives the numbers of an independent implementation, at any index and with any salt', () => {
  expect([...hashUniform('input', 3)]).toEqual([
    0.09024341939948499, 0.25182540621608496, 0.9365518512204289,
  ]);
  const salted = hashUniform('head.fc.weight', 1_000_001, 7);
  expect([salted[0], salted[1], salted[1_000_000]]).toEqual([
    0.7338464662898332, 0.7861853078939021, 0.8441095403395593,
  ]);
});

test('images are in [-1, 1)', () => {
  const first = hashImages([1, 3, 2, 2]).toFloat32Array()[0];
  expect(first).toBeCloseTo(2 * 0.09024341939948499 - 1, 6);
});

test('each kind of entry has its own range, and integers are unchanged', () => {
  const entries = new Entries();
  fillByHash(entries);
  const u = hashUniform('weight', 1000);
  expect(entries.weight.toFloat32Array()).toEqual(Float32Array.from(u, (value) => 0.5 + value));
  const variances = entries.runningVar.toFloat32Array();
  expect(Math.min(...variances)).toBeGreaterThanOrEqual(0.5);
  expect(Math.max(...entries.runningMean.toFloat32Array())).toBeLessThanOrEqual(0.1);
  const bound = Math.sqrt(3 / 75);
  expect(Math.max(...entries.kernel.toFloat32Array().map(Math.abs))).toBeGreaterThan(0.9 * bound);
  expect(Math.max(...entries.kernel.toFloat32Array().map(Math.abs))).toBeLessThanOrEqual(bound);
  expect(entries.numBatchesTracked.toNumber()).toBe(0);
});

test('negativeNormWeights negates one-dimensional weights where the hash is below 0.3, and nothing else', () => {
  const [plain, negated] = [new Entries(), new Entries()];
  fillByHash(plain);
  fillByHash(negated, { negativeNormWeights: true });
  const u = hashUniform('weight', 1000);
  const expected = plain.weight.toFloat32Array().map((value, i) => (u[i]! < 0.3 ? -value : value));
  expect(negated.weight.toFloat32Array()).toEqual(expected);
  expect(negated.runningVar.equal(plain.runningVar)).toBe(true);
  expect(negated.kernel.equal(plain.kernel)).toBe(true);
});
