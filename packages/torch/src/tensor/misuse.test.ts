import { expect, test } from 'vitest';
import { enableGrad, keep, noGrad, tensor, tidy } from '../index.js';
import { scaledDotProductAttention } from '../nn/attention.js';
import { sort } from './operators.generated.js';

test('a number, an array or a tensor in place of options is refused, not ignored', () => {
  using values = tensor([3, 1]);
  for (const wrong of [0, true, 'dim', [0], values])
    expect(() => Reflect.apply(sort, undefined, [values, wrong])).toThrow(
      /^sort: expected an object of options/,
    );
  expect(() => Reflect.apply(sort, undefined, [values, null])).not.toThrow();
});

test('sort needs no options', () => {
  using values = tensor([3, 1, 2]);
  const [sorted, places] = sort(values);
  expect([...sorted.toFloat32Array()]).toEqual([1, 2, 3]);
  expect(places.shape).toEqual([3]);
  sorted.dispose();
  places.dispose();
});

test.each([
  ['tidy', () => Reflect.apply(tidy, undefined, [3])],
  ['noGrad', () => Reflect.apply(noGrad, undefined, [undefined])],
  ['enableGrad', () => Reflect.apply(enableGrad, undefined, ['x'])],
  ['keep', () => Reflect.apply(keep, undefined, [undefined])],
  ['keep', () => Reflect.apply(keep, undefined, [{}])],
  ['scaledDotProductAttention', () => Reflect.apply(scaledDotProductAttention, undefined, [1, 2, 3])],
])('%s names itself in the error if it is given something else', (name, call) => {
  expect(call).toThrow(TypeError);
  expect(call).toThrow(`${name}: expected`);
});
