// libtorch's operators by name.

import { native } from './native.js';

/** An operator by its name with overload, such as `aten::add.Tensor`; it is looked up at the first call. */
export class Operator {
  readonly #name: string;
  #number: number | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** The addon's number for it. */
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

/** Returns the number of an operator, or -1 if there is none; a library loaded later may add it. */
export function operatorNumber(name: string): number {
  const known = found.get(name);
  if (known !== undefined) return known;
  const [base = '', overload = ''] = name.split('.');
  const number = native.findOperator(base, overload);
  if (number >= 0) found.set(name, number);
  return number;
}

/** Returns the name, with overload, of an operator that was looked up before. */
export function operatorName(number: number): string {
  for (const [name, known] of found) if (known === number) return name;
  throw new RangeError(`no operator has the number ${number}`);
}

function findOperator(name: string): number {
  const number = operatorNumber(name);
  if (number < 0)
    throw new Error(
      `${name}: libtorch ${native.version()} has no such operator; check with hasOperator first`,
    );
  return number;
}
