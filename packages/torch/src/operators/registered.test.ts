import { beforeAll, describe, expect, test } from 'vitest';
import { buildOperatorLibrary } from '../../test/operatorLibrary.js';
import { grad, hasOperator, loadLibrary, ones, registeredOperator, tensor, zeros } from '../index.js';

const library = buildOperatorLibrary();

describe.skipIf(library === undefined)(
  'operators of a loaded library (skipped without a C++ compiler)',
  () => {
    beforeAll(() => {
      expect(hasOperator('anyclass_test::scaled_sum')).toBe(false);
      loadLibrary(library ?? '');
    });

    test('exist once it is loaded', () => {
      expect(hasOperator('anyclass_test::scaled_sum')).toBe(true);
      expect(hasOperator('anyclass_test::other')).toBe(false);
    });

    test('take tensors, numbers, lists and booleans in the order of the schema', () => {
      const scaledSum = registeredOperator('anyclass_test::scaled_sum');
      const [result] = scaledSum(tensor([1, 2]), 0.5, [7, 8, 9], true);
      expect(result?.item()).toBe(6);
    });

    test('use defaults for arguments that are left out or undefined', () => {
      const scaledSum = registeredOperator('anyclass_test::scaled_sum');
      expect(scaledSum(tensor([1, 2]))[0]?.item()).toBe(3);
      expect(scaledSum(tensor([1, 2]), undefined, [], true)[0]?.item()).toBe(6);
    });

    test('return several results, and lists of tensors, as an array', () => {
      const [more, same] = registeredOperator('anyclass_test::split')(tensor([1]), null);
      expect([more?.toArray(), same?.toArray()]).toEqual([[2], [1]]);
      const copies = registeredOperator('anyclass_test::copies');
      expect(copies([tensor([1]), tensor([2])]).map((copy) => copy.toArray())).toEqual([[1], [2]]);
      expect(copies([])).toEqual([]);
    });

    test('can change a tensor in place and return nothing', () => {
      const x = zeros([2]);
      expect(registeredOperator('anyclass_test::increment_')(x)).toEqual([]);
      expect(x.toArray()).toEqual([1, 1]);
    });

    test('have gradients if they are composed of operators that have them', () => {
      const x = tensor([1, 2], { requiresGrad: true });
      const [loss] = registeredOperator('anyclass_test::scaled_sum')(x, 3);
      expect(grad([loss ?? x], [x])[0]?.toArray()).toEqual([3, 3]);
    });

    test('refuse wrong values by name', () => {
      const scaledSum = registeredOperator('anyclass_test::scaled_sum');
      const copies = registeredOperator('anyclass_test::copies');
      expect(() => scaledSum(0)).toThrow('anyclass_test::scaled_sum: expected a tensor, not number');
      expect(() => scaledSum()).toThrow("anyclass_test::scaled_sum: argument 'self' must be given");
      expect(() => scaledSum(ones([1]), ones([1]))).toThrow(
        'anyclass_test::scaled_sum: got a tensor where the schema has none',
      );
      expect(() => scaledSum(ones([1]), 'x')).toThrow(
        "argument 'scale' must be a number, not a string (self: float32[1])",
      );
      expect(() => scaledSum(ones([2, 2]))).toThrow(
        'anyclass_test::scaled_sum: expected one dimension (self: float32[2, 2]',
      );
      expect(() => scaledSum(ones([1]), 1, [], true, 1)).toThrow(
        'anyclass_test::scaled_sum takes 4 arguments',
      );
      expect(() => scaledSum(ones([1]), ...Array<number>(40).fill(1))).toThrow('more than 32 arguments');
      expect(() => copies([1])).toThrow('anyclass_test::copies: expected a tensor, not number');
      expect(() => copies(ones([1]))).toThrow('anyclass_test::copies: expected an array of tensors');
      const disposed = ones([1]);
      disposed.dispose();
      expect(() => scaledSum(disposed)).toThrow('anyclass_test::scaled_sum: the tensor has been disposed of');
    });

    test('that return anything but tensors are refused when they are asked for', () => {
      expect(() => registeredOperator('anyclass_test::count')).toThrow('anyclass_test::count returns int');
    });
  },
);

test('an operator that no library registered is refused with what to do', () => {
  expect(() => registeredOperator('nowhere::nothing')).toThrow(
    "no operator 'nowhere::nothing'; load the library",
  );
});

test("libtorch's own operators are left to the typed functions", () => {
  expect(() => registeredOperator('aten::add.Tensor')).toThrow("'aten::add.Tensor' is libtorch's own");
});

test('a library that is missing is named', () => {
  expect(() => loadLibrary('/nowhere/libnothing.so')).toThrow(
    'loadLibrary: /nowhere/libnothing.so: cannot open',
  );
});
