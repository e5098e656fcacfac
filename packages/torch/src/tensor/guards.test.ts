import { expect, test } from 'vitest';
import { arange, ones, tensor, zeros } from '../index.js';
import {
  chunk,
  conv2d,
  embedding,
  indexSelect,
  pixelShuffle,
  randomInteger_,
  searchsorted,
  split,
  unbind,
  upsampleBicubic2d,
  upsampleBilinear2d,
  upsampleNearest2d,
} from './operators.generated.js';

// Without its guard, each refused call here crashes the process, corrupts its memory, or never returns.

test('chunk and split refuse to make more tensors than memory has room for', () => {
  expect(() => chunk(zeros([0, 3]), 2 ** 31)).toThrow('chunk: 2147483648 tensors are more than 1048576');
  expect(chunk(arange(0, 5), 2).map((part) => part.numel)).toEqual([3, 2]);
  const huge = ones([1]).expand([2 ** 40]);
  expect(() => split(huge, 2)).toThrow('split: 549755813888 tensors are more than 1048576');
  expect(() => unbind(huge, -1)).toThrow('unbind: 1099511627776 tensors');
  expect(split(huge, 2 ** 39).length).toBe(2);
});

test('conv2d refuses groups beyond 32 bits', () => {
  const [x, w] = [ones([1, 2, 3, 3]), ones([2, 1, 2, 2])];
  expect(() => conv2d(x, w, null, 1, 0, 1, 2 ** 40)).toThrow(RangeError);
  expect(conv2d(x, w, null, 1, 0, 1, 2).shape).toEqual([1, 2, 2, 2]);
});

test('indexSelect picks one element, not several, from a tensor without dimensions', () => {
  expect(() => indexSelect(tensor(1), 0, tensor([0n, 0n]))).toThrow('indexSelect: 2 positions in float32[]');
  expect(indexSelect(tensor(1), 0, tensor([0n])).shape).toEqual([]);
});

test('pixelShuffle refuses a factor whose square overflows', () => {
  expect(() => pixelShuffle(ones([1, 4, 2, 2]), 2 ** 40)).toThrow(RangeError);
  expect(pixelShuffle(ones([1, 4, 2, 2]), 2).shape).toEqual([1, 1, 4, 4]);
});

test('randomInteger_ refuses bounds that are not safe integers', () => {
  const wrong: readonly unknown[] = [zeros([2]), 2n ** 63n - 1n, null];
  expect(() => Reflect.apply(randomInteger_, undefined, [...wrong])).toThrow(RangeError);
  expect(randomInteger_(zeros([2]), 3, 4).toArray()).toEqual([3, 3]);
});

test('searchsorted refuses a sorter with positions out of range', () => {
  const [sequence, values] = [tensor([3, 1, 2]), tensor([2.5])];
  expect(() => searchsorted(sequence, values, { sorter: tensor([1n, 2n, 3n]) })).toThrow(
    "'sorter' holds positions from 1 to 3",
  );
  expect(() => searchsorted(sequence, values, { sorter: tensor([-1n, 2n, 0n]) })).toThrow('from -1 to 2');
  expect(searchsorted(sequence, values, { sorter: tensor([1n, 2n, 0n]) }).toArray()).toEqual([2n]);
});

test('upsampling refuses scales that do not match the output size', () => {
  const x = ones([1, 1, 3, 3]);
  expect(() => upsampleBilinear2d(x, [6, 6], false, 0.5, 2)).toThrow(
    'a scale of 0.5 does not lead from 3 to 6',
  );
  expect(() => upsampleNearest2d(x, [6, 6], 2, 5e-324)).toThrow('upsampleNearest2d: a scale of 5e-324');
  expect(() => upsampleBicubic2d(x, [6, 6], false, Number.NaN)).toThrow('upsampleBicubic2d: a scale of NaN');
  expect(upsampleBilinear2d(x, [6, 7], false, 2, 2.4).shape).toEqual([1, 1, 6, 7]);
});

test('the sparse gradient of an embedding can be read', () => {
  const weight = ones([3, 2], { requiresGrad: true });
  embedding(weight, tensor([0n, 2n, 2n]), -1, false, true)
    .sum(null)
    .backward();
  expect(weight.grad?.toArray()).toEqual([
    [1, 1],
    [0, 0],
    [2, 2],
  ]);
});
