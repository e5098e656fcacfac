// Operators by name, found once when the module loads.

import { native } from './native.js';

/** The number of an operator that every supported libtorch has. */
export function operator(name: string): number {
  const number = optionalOperator(name);
  if (number < 0) throw new Error(`libtorch ${native.version()} has no operator ${name}`);
  return number;
}

/** The number of an operator that newer versions have; -1 where this one does not, and then a call throws. */
export function optionalOperator(name: string): number {
  const [base = '', overload = ''] = name.split('.');
  return native.findOperator(base, overload);
}

/** The number of an optional operator where this libtorch has it, else an error that says so. */
export function available(number: number, name: string): number {
  if (number < 0)
    throw new Error(`${name}: libtorch ${native.version()} has no such operator; ask with hasOperator`);
  return number;
}

/**
 * Whether this libtorch, or a library loaded with `loadLibrary`, has an operator.
 *
 * @example
 * hasOperator('aten::add.Tensor') // true
 * hasOperator('aten::scaled_dot_product_attention') // from libtorch 2.0 on
 */
export function hasOperator(name: string): boolean {
  return optionalOperator(name) >= 0;
}
