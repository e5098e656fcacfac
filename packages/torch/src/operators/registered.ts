// Operators registered by a library loaded with `loadLibrary`. Their schemas are known only then, so calls are checked
// at run time; the typed functions for libtorch's own operators are checked by the compiler.

import { native, type Scalar } from '../native/native.js';
import { operatorNumber } from '../native/operator.js';
import { place, places } from '../tensor/handle.js';
import { Tensor } from '../tensor/tensor.js';

/** An argument of such an operator; null for an optional value that is missing, undefined for the default. */
export type RegisteredValue =
  | Tensor
  | readonly Tensor[]
  | Scalar
  | readonly Scalar[]
  | string
  | null
  | undefined;

/**
 * Returns a function that calls a registered operator. It takes the arguments in the schema's order and returns the
 * results, which are all tensors. Trailing arguments that have defaults may be left out.
 *
 * @example
 * loadLibrary('build/libscale.so'); // TORCH_LIBRARY(scale, m) { m.def("times(Tensor x, float factor) -> Tensor", …); }
 * const times = registeredOperator('scale::times');
 * const [doubled] = times(tensor([1, 2]), 2); // [2, 4]
 */
export function registeredOperator(name: string): (...values: readonly RegisteredValue[]) => Tensor[] {
  const number = find(name);
  const kinds = native.parameterKinds(number);
  const unlike = native.resultTypes(number).filter((type) => type !== 'Tensor' && type !== 'Tensor[]');
  if (unlike.length > 0)
    throw new TypeError(
      `${name} returns ${unlike.join(', ')}; only operators that return tensors are supported`,
    );
  return (...values) => {
    const converted = values.map((value, i) => convert(name, kinds[i], value));
    const results = native.callMixed(number, ...converted);
    return results.flatMap((result) => {
      if (result === null) return [];
      return typeof result === 'number' ? new Tensor(result) : Array.from(result, (one) => new Tensor(one));
    });
  };
}

const namespacesOfLibtorch = new Set(
  'aten prim prims prepacked quantized _quantized quantization mkldnn mkldnn_prepacked sparse static_runtime'.split(
    ' ',
  ),
);

function find(name: string): number {
  if (namespacesOfLibtorch.has(name.split('::')[0] ?? '')) {
    throw new TypeError(`registeredOperator: '${name}' is libtorch's own; the typed functions call it`);
  }
  const number = operatorNumber(name);
  if (number < 0)
    throw new Error(
      `registeredOperator: no operator '${name}'; load the library that registers it with loadLibrary`,
    );
  return number;
}

// The addon identifies tensors by number, so a number in place of a tensor must not reach it. It checks everything else
// against the schema.
function convert(
  name: string,
  kind: 'tensor' | 'tensors' | 'value' | undefined,
  value: RegisteredValue,
): unknown {
  if (value === null || value === undefined) return value;
  const isTensors = Array.isArray(value) && value.some((item) => item instanceof Tensor);
  if (kind === 'tensor') return place(requireTensor(name, value), name);
  if (kind === 'tensors') return places(requireTensors(name, value), name);
  if (value instanceof Tensor || isTensors)
    throw new TypeError(`${name}: got a tensor where the schema has none`);
  return value;
}

function requireTensor(name: string, value: RegisteredValue): Tensor {
  if (!(value instanceof Tensor)) throw new TypeError(`${name}: expected a tensor, not ${typeof value}`);
  return value;
}

function requireTensors(name: string, value: RegisteredValue): readonly Tensor[] {
  if (!Array.isArray(value))
    throw new TypeError(`${name}: expected an array of tensors, not ${typeof value}`);
  return value.map((item) => requireTensor(name, item));
}
