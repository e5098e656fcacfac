import { describe, expect, test } from 'vitest';
import { onEachDevice } from '../../test/devices.js';
import { readFixture } from '../../test/fixtures.js';
import { arange, type Device, type Index, type NestedArray, slice, Tensor, tensor, zeros } from '../index.js';

type StoredIndex = number | null | '...' | { slice: (number | null)[] } | { tensor: NestedArray };

interface Read {
  readonly source: number[];
  readonly index: readonly StoredIndex[];
  readonly shape: number[];
  readonly values: number[];
}

interface Write extends Read {
  readonly value: number | NestedArray;
}

const { reads, writes } = readFixture<{ reads: Read[]; writes: Write[] }>('indexing');
const shown = <T extends Read>(cases: readonly T[]) =>
  cases.map((one) => ({ ...one, text: `[${one.source}] at ${JSON.stringify(one.index)}` }));

onEachDevice((device) => {
  describe('reads what PyTorch and NumPy read', () => {
    test.each(shown(reads))('$text', ({ source, index, shape, values }) => {
      const result = counted(source, device).at(...index.map((item) => toIndex(item, device)));
      expect({ shape: result.shape, values: flat(result) }).toEqual({ shape, values });
    });
  });

  describe('writes what PyTorch and NumPy write', () => {
    test.each(shown(writes))('$text', ({ source, index, values, value }) => {
      const target = counted(source, device);
      const written = Array.isArray(value) ? tensor(value, { dtype: 'int64', device }) : value;
      target.set(
        index.map((item) => toIndex(item, device)),
        written instanceof Tensor || typeof written === 'number' ? written : 0,
      );
      expect(flat(target)).toEqual(values);
    });
  });

  test('a row, a slice and a new axis share the memory of the tensor', () => {
    const x = zeros([2, 3], { device });
    x.at(0).fill_(1);
    x.at(1, slice(1)).fill_(2);
    x.at('...', null, 0).add_(5);
    expect(x.toArray()).toEqual([
      [6, 1, 1],
      [5, 2, 2],
    ]);
  });

  test('positions can have any signed integer type', () => {
    const x = arange(0, 5, 1, { device });
    for (const dtype of ['int8', 'int16', 'int32', 'int64'] as const) {
      expect(x.at(tensor([4, -5], { dtype, device })).toArray()).toEqual([4, 0]);
    }
  });

  test('a value of another type is converted to the type of the tensor', () => {
    const x = zeros([3], { dtype: 'int32', device });
    x.set(tensor([0n, 2n], { device }), tensor([1.9, -1.9], { device }));
    x.set(1, tensor(7.5, { device }));
    expect(x.toArray()).toEqual([1, 7, -1]);
  });
});

test('a single index does not need an array', () => {
  const x = zeros([2, 2]);
  x.set(1, 3);
  expect(x.toArray()).toEqual([
    [0, 0],
    [3, 3],
  ]);
});

test('gradients flow through what was read', () => {
  const x = tensor([1, 2, 3], { requiresGrad: true });
  x.at(tensor([0n, 0n, 2n]))
    .sum(null)
    .backward();
  expect(x.grad?.toArray()).toEqual([2, 0, 1]);
});

describe('a wrong index is refused', () => {
  const x = zeros([2, 3]);
  test.each<[string, readonly Index[], string]>([
    ['too many indices', [0, 0, 0], 'at: 3 indices for a tensor of 2 dimensions [2, 3]'],
    ["two '...'", ['...', '...'], "at: only one '...'"],
    ['an integer out of range', [2], 'aten::select.int: select(): index 2 out of range'],
    ['a position out of range', [tensor([2n])], 'aten::index.Tensor: index 2 is out of bounds'],
    [
      'positions that are floats',
      [tensor([0.5])],
      'at: an index tensor must be int64 positions or a bool mask, not float32',
    ],
    ['a mask of uint8', [tensor(new Uint8Array([1, 0]))], 'not uint8'],
    [
      'a mask of another size',
      [tensor([true, false, true])],
      'aten::index.Tensor: The shape of the mask [3]',
    ],
  ])('%s', (_, index, message) => {
    expect(() => x.at(...index)).toThrow(message);
  });

  test('a step that is not positive', () => {
    expect(() => slice(0, 1, 0)).toThrow('slice: the step must be a positive integer, not 0');
  });
});

function counted(shape: readonly number[], device: Device): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return arange(0, count, 1, { dtype: 'int64', device }).view(shape);
}

function toIndex(item: StoredIndex, device: Device): Index {
  if (typeof item !== 'object' || item === null) return item;
  if ('slice' in item) {
    const [start, end, step] = item.slice;
    return slice(start ?? undefined, end ?? undefined, step ?? 1);
  }
  const isMask = [item.tensor].flat(4).some((value) => typeof value === 'boolean');
  return tensor(item.tensor, { dtype: isMask ? 'bool' : 'int64', device });
}

function flat(result: Tensor): number[] {
  return Array.from(result.toTypedArray(), Number);
}
