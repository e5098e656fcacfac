import { afterEach, expect, test } from 'vitest';
import { onEachDevice } from '../../test/devices.js';
import {
  engineInfo,
  generatorState,
  hasOperator,
  ones,
  rand,
  randn,
  setGeneratorState,
  setSeed,
  setThreadCount,
  threadCount,
  zeros,
} from '../index.js';

const threads = threadCount();
afterEach(() => setThreadCount(threads));

onEachDevice((device) => {
  test('the same seed gives the same numbers', () => {
    setSeed(7);
    const first = rand([5], { device });
    setSeed(7);
    expect(rand([5], { device }).equal(first)).toBe(true);
    expect(rand([5], { device }).equal(first)).toBe(false);
  });

  test('the random generator can return to a saved state', () => {
    setSeed(7);
    // An odd count leaves half of a pair of normal numbers cached in the state.
    randn([3], { device });
    const state = generatorState(device);
    const first = randn([9], { device });
    setGeneratorState(state, device);
    expect(randn([9], { device }).equal(first)).toBe(true);
  });
});

test('a seed is a non-negative integer', () => {
  for (const seed of [-1, 0.5, Number.NaN, 2 ** 53]) {
    expect(() => setSeed(seed)).toThrow(`setSeed: expected a non-negative integer, not ${seed}`);
  }
});

test('an invalid generator state is refused', () => {
  expect(() => setGeneratorState(zeros([3]))).toThrow(
    'setGeneratorState: RNG state must be a torch.ByteTensor',
  );
  expect(() => setGeneratorState(zeros([3], { dtype: 'uint8' }))).toThrow('setGeneratorState: ');
});

test('the number of threads can be set, and changes a sum only by rounding', () => {
  const x = rand([100_000]);
  setThreadCount(1);
  expect(threadCount()).toBe(1);
  const one = x.sum(null).toNumber();
  setThreadCount(2);
  expect(threadCount()).toBe(2);
  expect(x.sum(null).toNumber() / one).toBeCloseTo(1, 5);
  for (const count of [0, -1, 1.5, 2000])
    expect(() => setThreadCount(count)).toThrow('setThreadCount: expected an integer');
});

test('the engine reports its version, threads and BLAS', () => {
  const info = engineInfo();
  expect(info.version).toMatch(/^\d+\.\d+/);
  expect(info.threads).toBe(threads);
  expect(info.buildConfiguration).toContain('ATen');
});

test('hasOperator reports what this libtorch has', () => {
  expect(hasOperator('aten::add.Tensor')).toBe(true);
  expect(hasOperator('aten::add')).toBe(false);
  expect(hasOperator('aten::no_such_thing')).toBe(false);
  expect(ones([1]).add(1).item()).toBe(2);
});
