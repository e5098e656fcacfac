import { afterEach, expect, test } from 'vitest';
import { onEachDevice } from '../test/devices.js';
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
} from './index.js';

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

  test('the state of the random numbers can be kept and gone back to', () => {
    setSeed(7);
    // An odd count leaves half of a pair of normal numbers in the state.
    randn([3], { device });
    const state = generatorState(device);
    const first = randn([9], { device });
    setGeneratorState(state, device);
    expect(randn([9], { device }).equal(first)).toBe(true);
  });
});

test('a seed is an integer from 0 on', () => {
  for (const seed of [-1, 0.5, Number.NaN, 2 ** 53]) {
    expect(() => setSeed(seed)).toThrow(`setSeed: expected an integer from 0 on, not ${seed}`);
  }
});

test('a state that is none is refused', () => {
  expect(() => setGeneratorState(zeros([3]))).toThrow(
    'setGeneratorState: RNG state must be a torch.ByteTensor',
  );
  expect(() => setGeneratorState(zeros([3], { dtype: 'uint8' }))).toThrow('setGeneratorState: ');
});

test('the number of threads can be set, and changes no result of a sum by more than rounding', () => {
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

test('the engine tells its version, threads and BLAS', () => {
  const info = engineInfo();
  expect(info.version).toMatch(/^\d+\.\d+/);
  expect(info.threads).toBe(threads);
  expect(info.buildConfiguration).toContain('ATen');
});

test('hasOperator tells what this libtorch has', () => {
  expect(hasOperator('aten::add.Tensor')).toBe(true);
  expect(hasOperator('aten::add')).toBe(false);
  expect(hasOperator('aten::no_such_thing')).toBe(false);
  expect(ones([1]).add(1).item()).toBe(2);
});
