import { describe, expect, test } from 'vitest';
import { onEachDevice } from '../../test/devices.js';
import { arange, type Dtype, dtypes, ones, rand, type TypedArray, tensor, zeros } from '../index.js';

// An array for each dtype with the extreme values it can hold; float16 and bfloat16 as bits.
const extremes: Readonly<Record<Dtype, TypedArray>> = {
  uint8: new Uint8Array([0, 1, 255]),
  int8: new Int8Array([-128, 0, 127]),
  int16: new Int16Array([-32768, 0, 32767]),
  int32: new Int32Array([-(2 ** 31), 0, 2 ** 31 - 1]),
  int64: new BigInt64Array([-(2n ** 63n), 9007199254740993n, 2n ** 63n - 1n]),
  float16: new Uint16Array([0x3c00, 0xfbff, 0x0001, 0x7c00]),
  float32: new Float32Array([1.5, -3.4028234663852886e38, 1.401298464324817e-45, Number.NaN, -0]),
  float64: new Float64Array([Math.PI, 5e-324, -1.7976931348623157e308, Number.NEGATIVE_INFINITY]),
  bool: new Uint8Array([0, 1, 1]),
  bfloat16: new Uint16Array([0x3f80, 0xff7f, 0x0001, 0x7f80]),
};

onEachDevice((device) => {
  describe('typed arrays round-trip bit for bit', () => {
    test.each(dtypes)('%s', (dtype) => {
      const x = tensor(extremes[dtype], { dtype, device });
      expect(x.dtype).toBe(dtype);
      expect(x.toTypedArray()).toEqual(extremes[dtype]);
      expect(x.device.startsWith(device)).toBe(true);
    });
  });

  test('a transposed tensor is exported in row-major order', () => {
    const x = arange(0, 6, 1, { device }).view([2, 3]).transpose(0, 1);
    expect([...x.toTypedArray()]).toEqual([0, 3, 1, 4, 2, 5]);
    expect(x.toFloat32Array()).toEqual(new Float32Array([0, 3, 1, 4, 2, 5]));
  });

  test('half types are shown as numbers in nested arrays', () => {
    const x = tensor([[1.5, -2]], { dtype: 'float16', device });
    expect(x.toArray()).toEqual([[1.5, -2]]);
    expect(tensor([0.5], { dtype: 'bfloat16', device }).toFloat32Array()).toEqual(new Float32Array([0.5]));
  });

  test('item returns a boolean for a bool tensor, a number, or a bigint if a number would lose digits', () => {
    expect(tensor(true, { device }).item()).toBe(true);
    expect(tensor(2.5, { device }).item()).toBe(2.5);
    expect(tensor([7n], { device }).item()).toBe(7);
    expect(tensor([9007199254740993n], { device }).item()).toBe(9007199254740993n);
    expect(tensor([[true]], { device }).toNumber()).toBe(1);
    expect(() => zeros([2, 3], { device }).item()).toThrow(
      'item: needs a tensor of one element, not float32[2, 3]',
    );
  });

  test('shape, strides, ndim and numel describe the tensor', () => {
    const x = zeros([2, 3, 4], { device });
    expect([x.shape, x.strides, x.ndim, x.numel]).toEqual([[2, 3, 4], [12, 4, 1], 3, 24]);
    const scalar = tensor(1, { device });
    expect([scalar.shape, scalar.strides, scalar.ndim, scalar.numel]).toEqual([[], [], 0, 1]);
    expect(zeros([2, 0], { device }).numel).toBe(0);
  });

  test('operands are broadcast', () => {
    const column = tensor([[1], [2]], { device });
    const row = tensor([10, 20, 30], { device });
    expect(column.add(row).toArray()).toEqual([
      [11, 21, 31],
      [12, 22, 32],
    ]);
  });

  test('integer tensors stay integer with integer numbers and become float with fractions', () => {
    const x = tensor([1, 2], { dtype: 'int32', device });
    expect(x.add(1).dtype).toBe('int32');
    expect(x.add(2n).dtype).toBe('int32');
    expect(x.mul(0.5).dtype).toBe('float32');
    expect(x.mul(0.5).toArray()).toEqual([0.5, 1]);
    expect(x.div(2).toArray()).toEqual([0.5, 1]);
  });

  test('-0 stays a float', () => {
    expect(tensor([1], { device }).mul(-0).toArray()).toEqual([-0]);
  });

  test('a function that ends in _ changes the tensor itself and returns it', () => {
    const x = ones([3], { device });
    expect(x.add_(1).mul_(3)).toBe(x);
    expect(x.toArray()).toEqual([6, 6, 6]);
  });

  test('views share the memory of their tensor', () => {
    const x = zeros([2, 3], { device });
    x.view([6]).at(0).fill_(1);
    x.transpose(0, 1).select(0, 2).fill_(2);
    x.unsqueeze(0).narrow(2, 1, 1).fill_(3);
    expect(x.toArray()).toEqual([
      [1, 3, 2],
      [0, 3, 2],
    ]);
    x.clone().fill_(9);
    expect(x.sum(null).item()).toBe(11);
  });

  test('to converts by dtype, by device, or both', () => {
    const x = tensor([1.7, -1.7, 0], { device });
    expect(x.to('int64').toArray()).toEqual([1n, -1n, 0n]);
    expect(x.to('bool').toArray()).toEqual([true, true, false]);
    expect(x.to({ device: 'cpu', dtype: 'float64' }).dtype).toBe('float64');
    expect(x.to('cpu').device).toBe('cpu');
    expect(x.to(tensor([1n], { device })).toArray()).toEqual([1n, -1n, 0n]);
  });

  test('to copies only if something changes or a copy is requested', () => {
    const x = zeros([2], { device });
    x.to('float32').fill_(1);
    expect(x.toArray()).toEqual([1, 1]);
    x.to({ copy: true }).fill_(2);
    expect(x.toArray()).toEqual([1, 1]);
  });

  test('to lays images out with channels last', () => {
    const x = rand([2, 3, 4, 5], { device });
    const y = x.to({ memoryFormat: 'channelsLast' });
    expect(y.strides).toEqual([60, 1, 15, 3]);
    expect(y.isContiguous('channelsLast')).toBe(true);
    expect(y.isContiguous()).toBe(false);
    expect(y.toTypedArray()).toEqual(x.toTypedArray());
  });

  test('setData keeps the tensor and takes another shape', () => {
    const x = zeros([2], { device, requiresGrad: true });
    expect(x.shape).toEqual([2]);
    x.setData(ones([2, 2], { device }));
    expect([x.shape, x.requiresGrad, x.sum(null).item()]).toEqual([[2, 2], true, 4]);
  });
});

describe('every use of a disposed tensor throws and names the function', () => {
  const disposed = zeros([2]);
  // Read once, so that the test covers the cached shape too.
  expect(disposed.shape).toEqual([2]);
  disposed.dispose();
  test.each<[string, () => unknown]>([
    ['shape', () => disposed.shape],
    ['strides', () => disposed.strides],
    ['dtype', () => disposed.dtype],
    ['device', () => disposed.device],
    ['grad', () => disposed.grad],
    ['requiresGrad', () => disposed.requiresGrad],
    ['isLeaf', () => disposed.isLeaf],
    ['item', () => disposed.item()],
    ['toArray', () => disposed.toArray()],
    ['toTypedArray', () => disposed.toTypedArray()],
    ['toFloat32Array', () => disposed.toFloat32Array()],
    ['toString', () => disposed.toString()],
    ['at', () => disposed.at(0)],
    ['set', () => disposed.set(0, 1)],
    ['to', () => disposed.to('float64')],
    ['backward', () => disposed.backward()],
    ['setData', () => zeros([1]).setData(disposed)],
    ['add', () => disposed.add(1)],
    ['add', () => zeros([2]).add(disposed)],
    ['add_', () => disposed.add_(1)],
    ['sum', () => disposed.sum(null)],
  ])('%s', (name, use) => {
    expect(use).toThrow(`${name}: the tensor has been disposed of`);
  });
});

test('an error names the operator, the dtypes and the shapes', () => {
  expect(() => zeros([2, 3]).matmul(zeros([4, 5], { dtype: 'float64' }))).toThrow(
    /^aten::matmul: .*\(self: float32\[2, 3\], other: float64\[4, 5\]\)$/,
  );
  expect(() => Reflect.apply(zeros([2]).to, zeros([2]), ['float31'])).toThrow("not 'float31'");
});
