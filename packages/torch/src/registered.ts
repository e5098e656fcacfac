// Operators that a library loaded with `loadLibrary` registered. Their schemas are known only then, so that calls are
// checked against them as they happen; the typed functions of libtorch's own operators are checked by the compiler.

import { native } from './native.js';
import { operator } from './operator.js';
import { place, Tensor } from './tensor.js';

/** What such an operator takes; null where its schema says that a value may be missing. */
export type RegisteredValue = Tensor | number | boolean | null;

interface Parameter {
  readonly type: string;
  readonly name: string;
}

/**
 * A function that calls a registered operator with its values in the schema's order and gives its results, all of them
 * tensors.
 *
 * @example
 * loadLibrary('build/libscale.so'); // TORCH_LIBRARY(scale, m) { m.def("times(Tensor x, float factor) -> Tensor", …); }
 * const times = registeredOperator('scale::times');
 * const [doubled] = times(tensor([1, 2]), 2); // [2, 4]
 */
export function registeredOperator(name: string): (...values: readonly RegisteredValue[]) => Tensor[] {
  const number = operator(name);
  const { parameters, results } = schemaOf(name);
  const unlike = results.filter((type) => type !== 'Tensor');
  if (unlike.length > 0)
    throw new TypeError(`${name} returns ${unlike.join(', ')}; only tensors can be taken`);
  return (...values) => {
    if (values.length !== parameters.length) {
      throw new TypeError(`${name} takes ${parameters.length} values, not ${values.length}`);
    }
    const converted = parameters.map((parameter, i) => convert(name, parameter, values[i] ?? null));
    return native.callMany(number, ...converted).map((result) => new Tensor(result));
  };
}

function schemaOf(name: string): { parameters: Parameter[]; results: string[] } {
  const text = native.schemas().find((schema) => schema.startsWith(`${name}(`)) ?? '';
  const arrow = text.lastIndexOf(') -> ');
  const parameters = split(text.slice(text.indexOf('(') + 1, arrow)).map((part) => {
    const [type = '', declared = ''] = part.split(' ');
    return { type, name: declared.split('=')[0] ?? '' };
  });
  const results = split(text.slice(arrow + ') -> '.length).replace(/^\(|\)$/g, ''));
  return { parameters, results: results.map((result) => result.split(' ')[0] ?? '') };
}

// Types that such operators may have hold no commas; lists are refused when a call comes to them.
function split(text: string): string[] {
  return text.split(', ').filter((part) => part !== '' && part !== '*');
}

// The addon takes tensors by their number, so a number in the place of a tensor must not reach it.
function convert(name: string, parameter: Parameter, value: RegisteredValue): number | boolean | null {
  const type = parameter.type.replace(/\?$/, '');
  if (value === null) {
    if (parameter.type.endsWith('?')) return null;
    throw new TypeError(`${name}: '${parameter.name}' is missing; expected ${type}`);
  }
  if (type === 'Tensor') return place(value instanceof Tensor ? value : refuse(name, parameter, value), name);
  if ((type === 'float' || type === 'int') && typeof value === 'number') return value;
  if (type === 'bool' && typeof value === 'boolean') return value;
  return refuse(name, parameter, value);
}

function refuse(name: string, parameter: Parameter, value: RegisteredValue): never {
  const given = value instanceof Tensor ? 'a tensor' : String(value);
  throw new TypeError(`${name}: '${parameter.name}' is ${given}; expected ${parameter.type}`);
}
