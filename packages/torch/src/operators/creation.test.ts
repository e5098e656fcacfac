import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { collectTensors } from '../../test/collectTensors.js';
import { onEachDevice } from '../../test/devices.js';
import * as torch from '../index.js';
import {
  arange,
  empty,
  eye,
  full,
  linspace,
  ones,
  rand,
  randint,
  randn,
  randperm,
  setSeed,
  tensor,
  withBytes,
  zeros,
} from '../index.js';

beforeAll(collectTensors);

onEachDevice((device) => {
  test('filled and counted tensors hold what their names say', () => {
    expect(zeros([2], { device }).toArray()).toEqual([0, 0]);
    expect(ones([2, 1], { dtype: 'int32', device }).toArray()).toEqual([[1], [1]]);
    expect(full([2], 7, { dtype: 'int64', device }).toArray()).toEqual([7n, 7n]);
    expect(full([], true, { dtype: 'bool', device }).item()).toBe(true);
    expect(eye(2, { device }).toArray()).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(arange(0, 1, 0.25, { device }).toArray()).toEqual([0, 0.25, 0.5, 0.75]);
    expect(linspace(0, 1, 5, { device }).toArray()).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(empty([3, 2], { device }).shape).toEqual([3, 2]);
  });

  test('random tensors stay in range; real ones are float32, integers int64', () => {
    setSeed(1);
    const uniform = rand([1000], { device });
    expect(uniform.dtype).toBe('float32');
    expect(uniform.amin().toNumber()).toBeGreaterThanOrEqual(0);
    expect(uniform.amax().toNumber()).toBeLessThan(1);
    expect(randn([10000], { device }).standardDeviation(null, { correction: 1 }).toNumber()).toBeCloseTo(
      1,
      1,
    );
    const integers = randint(-3, 4, [1000], { device });
    expect([integers.dtype, integers.amin().item(), integers.amax().item()]).toEqual(['int64', -3, 3]);
    const order = randperm(100, { device });
    expect(Array.from(order.toTypedArray(), Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, i) => i),
    );
  });

  test('requiresGrad makes a leaf', () => {
    const x = zeros([2], { device, requiresGrad: true });
    expect([x.requiresGrad, x.isLeaf]).toEqual([true, true]);
  });
});

test('nested arrays round-trip', () => {
  const rows = fc.integer({ min: 1, max: 4 }).chain((width) =>
    fc.array(fc.array(fc.float({ noNaN: true }), { minLength: width, maxLength: width }), {
      minLength: 1,
      maxLength: 4,
    }),
  );
  fc.assert(
    fc.property(rows, (data) => {
      expect(tensor(data).toArray()).toEqual(data);
    }),
  );
});

test('int64 values round-trip', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (data) => {
      expect(tensor(data, { dtype: 'int64' }).toArray()).toEqual(data);
    }),
  );
});

test('numbers become float32, bigints int64, booleans bool, typed arrays their own type', () => {
  expect(tensor(1).dtype).toBe('float32');
  expect(tensor([1n, 2]).dtype).toBe('int64');
  expect(tensor([true, false]).dtype).toBe('bool');
  expect(tensor([true, 1]).dtype).toBe('float32');
  expect(tensor([]).dtype).toBe('float32');
  expect(tensor(new Int16Array(2)).dtype).toBe('int16');
});

test('a typed array is converted if another dtype is requested', () => {
  expect(tensor(new Float32Array([1.5, 0]), { dtype: 'float16' }).toTypedArray()).toEqual(
    new Uint16Array([0x3e00, 0]),
  );
  expect(tensor(new Uint8Array([0, 2]), { dtype: 'bool' }).toArray()).toEqual([false, true]);
});

test('only the part of the buffer that the array covers is copied', () => {
  const buffer = new Float32Array([1, 2, 3, 4]);
  const x = tensor(buffer.subarray(1, 3));
  buffer.fill(0);
  expect(x.toArray()).toEqual([2, 3]);
});

test('an empty dimension is kept', () => {
  expect(tensor([[], []]).shape).toEqual([2, 0]);
  expect(tensor(new Float32Array(0), { shape: [0, 3] }).shape).toEqual([0, 3]);
});

test('null options count as no options', () => {
  expect(String(Reflect.apply(zeros, undefined, [[1], null]))).toBe('tensor([0.])');
});

describe('data that no tensor can hold is refused', () => {
  const make: (data: unknown, options?: unknown) => unknown = (data, options) =>
    Reflect.apply(torch.tensor, undefined, [data, options]);
  test.each<[string, () => unknown, string]>([
    ['rows of different lengths', () => make([[1], [2, 3]]), 'tensor: rows of different shapes: [[1], [2]]'],
    ['a string', () => make(['1']), 'tensor: element 0 is string'],
    ['null', () => make(null), 'tensor: element 0 is object'],
    [
      'a fraction in an integer dtype',
      () => make([1, 2.5], { dtype: 'int32' }),
      'tensor: element 1 is 2.5, which int32 cannot hold',
    ],
    ['a fraction among bigints', () => make([1n, 2.5]), 'tensor: element 1 is 2.5, which int64 cannot hold'],
    [
      'a number beyond the range',
      () => make([300], { dtype: 'uint8' }),
      'tensor: element 0 is 300, which uint8 cannot hold',
    ],
    ['a bigint beyond 64 bits', () => make([2n ** 63n]), 'which int64 cannot hold'],
    ['NaN in an integer dtype', () => make([Number.NaN], { dtype: 'int64' }), 'which int64 cannot hold'],
    ['bits without a dtype', () => make(new Uint16Array(2)), "say which with 'dtype'"],
    [
      'an array type that matches no dtype',
      () => make(new Uint32Array(2)),
      'tensor: no dtype matches the elements of a Uint32Array',
    ],
    [
      'a shape that is not filled',
      () => make(new Float32Array(6), { shape: [2, 2] }),
      'tensor: 6 elements do not fill the shape [2, 2]',
    ],
    [
      'a negative shape',
      () => make(new Float32Array(6), { shape: [-2, -3] }),
      'do not fill the shape [-2, -3]',
    ],
    ['an unknown dtype', () => make([1], { dtype: 'complex64' }), "tensor: unknown dtype 'complex64'"],
    ['an unknown device', () => make([1], { device: 'tpu' }), "argument 'device' must be a device"],
    [
      'gradients of integers',
      () => make([1n], { requiresGrad: true }),
      'requiresGrad: only floating-point tensors',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message);
  });

  test('more than the available memory, before anything is allocated', () => {
    expect(() => zeros([1e6, 1e6])).toThrow(
      /^aten::zeros: not enough memory: 3814697 MiB asked for, \d+ MiB available/,
    );
    expect(() => zeros([2 ** 40, 2 ** 40])).toThrow('aten::zeros: Storage size calculation overflowed');
  });
});

describe('withBytes', () => {
  const bytes = new Uint8Array([1, 2, 3, 4, 5, 6]);

  test('lends bytes as they are, without a copy', () => {
    withBytes(bytes, [2, 3], (view) => void view.at(1, 2).fill_(9));
    expect(bytes[5]).toBe(9);
    const sums = withBytes(bytes, [2, 3], (view) => view.permute([1, 0]).to('float32').sum(1));
    expect(sums.toArray()).toEqual([5, 7, 12]);
  });

  test('refuses a result that views them, and a shape that they do not fill', () => {
    expect(() => withBytes(bytes, [6], (view) => view.view([3, 2]))).toThrow(
      'still shares the memory of the bytes',
    );
    expect(() => withBytes(bytes, [7], (view) => view.clone())).toThrow(
      '6 elements do not fill the shape [7]',
    );
  });

  test('releases them after an error', () => {
    const before = torch.liveTensors();
    const fail = () => {
      throw new Error('mine');
    };
    expect(() => withBytes(bytes, [6], fail)).toThrow('mine');
    expect(torch.liveTensors()).toBe(before);
  });
});
