// A call as plain data, and short helpers to write one.

import type { Dtype } from '../../src/native/dtype.js';

/** A tensor to make: by default float64 with the numbers from `gradcheckInput`. */
export interface TensorExample {
  readonly shape: readonly number[];
  readonly scale?: number;
  readonly offset?: number;
  /** If given, the tensor has this dtype and no gradients. */
  readonly dtype?: Dtype;
  readonly values?: readonly number[];
}

export interface OperatorExample {
  readonly name: string;
  readonly values: readonly unknown[];
  /** Whether its results have gradients that can be checked. */
  readonly differentiable: boolean;
}

export const smooth = (name: string, ...values: readonly unknown[]): OperatorExample => ({
  name,
  values,
  differentiable: true,
});
export const discrete = (name: string, ...values: readonly unknown[]): OperatorExample => ({
  name,
  values,
  differentiable: false,
});
export const each = (names: readonly string[], ...values: readonly unknown[]) =>
  names.map((name) => smooth(name, ...values));
export const eachDiscrete = (names: readonly string[], ...values: readonly unknown[]) =>
  names.map((name) => discrete(name, ...values));

export const t = (...shape: readonly number[]): TensorExample => ({ shape });
export const positive = (...shape: readonly number[]): TensorExample => ({ shape, scale: 0.4, offset: 1 });
export const integers = (shape: readonly number[], values: readonly number[]): TensorExample => ({
  shape,
  dtype: 'int64',
  values,
});
export const mask = (shape: readonly number[], values: readonly number[]): TensorExample => ({
  shape,
  dtype: 'bool',
  values,
});
export const constant = (shape: readonly number[], values: readonly number[]): TensorExample => ({
  shape,
  dtype: 'float64',
  values,
});

export const checkered = mask([2, 3], [1, 0, 1, 0, 1, 0]);
