import { describe, expect, test } from 'vitest';
import {
  autocast,
  CudaEvent,
  CudaStream,
  cudaDeviceName,
  cudaMemory,
  cudaStatus,
  cudaSynchronize,
  emptyCudaCache,
  hasCuda,
  ones,
  randn,
  resetPeakCudaMemory,
  setCudnnBenchmark,
  setTf32,
  tensor,
  tidy,
  zeros,
} from '../index.js';

describe.skipIf(hasCuda())('without CUDA', () => {
  test('the status says why', () => {
    expect(cudaStatus().devices).toEqual([]);
    expect(cudaStatus().unavailable).toMatch(/built without CUDA|no CUDA|driver/);
  });

  test.each([
    ['a tensor', () => zeros([2], { device: 'cuda' })],
    ['a move', () => zeros([2]).to('cuda:0')],
    ['a stream', () => new CudaStream()],
    ['an event', () => new CudaEvent()],
    ['memory sizes', () => cudaMemory()],
    ['a wait', () => cudaSynchronize()],
    ['a switch', () => setTf32(true)],
  ])('asking for %s says why not', (_, ask) => {
    expect(ask).toThrow(cudaStatus().unavailable ?? '');
  });
});

describe.skipIf(!hasCuda())(`on cuda${hasCuda() ? '' : ' (skipped: no CUDA device)'}`, () => {
  test('the device has a name', () => {
    expect(cudaDeviceName()).not.toBe('');
    expect(cudaStatus()).toEqual({ devices: expect.arrayContaining(['cuda:0']), unavailable: null });
  });

  test('pinned memory travels there and back without waiting', () => {
    tidy(() => {
      const pinned = randn([1000, 100], { pinMemory: true });
      expect(pinned.isPinned).toBe(true);
      const there = pinned.to({ device: 'cuda', nonBlocking: true });
      cudaSynchronize();
      expect(there.to('cpu').equal(pinned)).toBe(true);
      expect(there.isPinned).toBe(false);
    });
  });

  test('tensors made in quick succession arrive intact, although nothing waits for the copies', () => {
    tidy(() => {
      const slow = randn([4000, 4000], { device: 'cuda' });
      const product = slow.matmul(slow).matmul(slow);
      const made = Array.from({ length: 50 }, (_, i) =>
        tensor(new Float32Array(100_000).fill(i), { device: 'cuda' }),
      );
      expect(product.shape).toEqual([4000, 4000]);
      made.forEach((one, i) => {
        expect([one.amin().toNumber(), one.amax().toNumber()]).toEqual([i, i]);
      });
    });
  });

  test('work on another stream waits for an event and is done after synchronize', () => {
    tidy(() => {
      const stream = new CudaStream();
      const x = ones([1000, 1000], { device: 'cuda' });
      using ready = new CudaEvent().record();
      stream.waitFor(ready);
      const product = stream.run(() => x.matmul(x));
      stream.synchronize();
      expect(product.at(0, 0).toNumber()).toBe(1000);
    });
  });

  test('events measure time', () => {
    using start = new CudaEvent().record();
    tidy(() => {
      const x = randn([2048, 2048], { device: 'cuda' });
      for (let i = 0; i < 10; i++) x.matmul(x);
    });
    using end = new CudaEvent().record();
    end.synchronize();
    expect(start.millisecondsTo(end)).toBeGreaterThan(0);
  });

  test('memory sizes follow the tensors', () => {
    emptyCudaCache();
    const before = cudaMemory();
    resetPeakCudaMemory();
    tidy(() => {
      zeros([1 << 20], { device: 'cuda' });
      expect(cudaMemory().allocated - before.allocated).toBe(4 << 20);
    });
    expect(cudaMemory().allocated).toBe(before.allocated);
    expect(cudaMemory().peakAllocated - before.allocated).toBeGreaterThanOrEqual(4 << 20);
  });

  test('a disposed event is an error, not a crash', () => {
    const event = new CudaEvent();
    event[Symbol.dispose]();
    expect(() => event.record()).toThrow('disposed of');
  });

  test.each(['bfloat16', 'float16'] as const)('autocast multiplies in %s and sums in float32', (dtype) => {
    setCudnnBenchmark(false);
    tidy(() => {
      const x = randn([8, 8], { device: 'cuda' });
      const [product, sum] = autocast(() => [x.matmul(x), x.softmax(-1)], { device: 'cuda', dtype });
      expect(product?.dtype).toBe(dtype);
      expect(sum?.dtype).toBe('float32');
      expect(x.matmul(x).dtype).toBe('float32');
    });
  });
});
