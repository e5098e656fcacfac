// libtorch's operators by name.

import { native } from './native.js';

/** An operator by its name with the overload, as `aten::add.Tensor`; libtorch is asked for it at the first call. */
export class Operator {
  readonly #name: string;
  #number: number | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** What the addon calls it by. */
  get number(): number {
    this.#number ??= findOperator(this.#name);
    return this.#number;
  }
}

/**
 * Whether this libtorch, or a library loaded with `loadLibrary`, has an operator.
 *
 * @example
 * hasOperator('aten::add.Tensor') // true
 * hasOperator('aten::scaled_dot_product_attention') // from libtorch 2.0 on
 */
export function hasOperator(name: string): boolean {
  return operatorNumber(name) >= 0;
}

const found = new Map<string, number>();

/** The number of an operator; -1 where there is none, which a library loaded later may change. */
export function operatorNumber(name: string): number {
  const known = found.get(name);
  if (known !== undefined) return known;
  const [base = '', overload = ''] = name.split('.');
  const number = native.findOperator(base, overload);
  if (number >= 0) found.set(name, number);
  return number;
}

/** The name of an operator that was found, with its overload. */
export function operatorName(number: number): string {
  for (const [name, known] of found) if (known === number) return name;
  throw new RangeError(`no operator has the number ${number}`);
}

function findOperator(name: string): number {
  const number = operatorNumber(name);
  if (number < 0)
    throw new Error(`${name}: libtorch ${native.version()} has no such operator; ask with hasOperator`);
  return number;
}
