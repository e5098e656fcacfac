// Takes a legal call and corrupts some arguments: a size, a dtype, a list's length, a position out of range. Most such
// calls still reach the kernels, which is where an unchecked call would fault.

import { type Dtype, dtypes, Tensor, tensor } from '@anyclass/torch';
import { oddNumber, pick, type Random, randomArgument } from './randomArguments.js';

export interface LegalCall {
  readonly name: string;
  readonly values: readonly unknown[];
}

interface TensorExample {
  readonly shape: readonly number[];
  readonly dtype?: Dtype;
  readonly values?: readonly number[];
}

/** Returns the call's arguments, made as in the example, with one to three of them changed. */
export function mutatedArguments(random: Random, call: LegalCall, pool: readonly Tensor[]): unknown[] {
  let values = [...call.values];
  const changes = 1 + Math.floor(random() ** 2 * 3);
  for (let i = 0; i < changes; i++) {
    const chosen = Math.floor(random() * values.length);
    values = values.map((value, k) => (k === chosen ? mutate(random, value, pool) : value));
  }
  const floating: Dtype = pick(random, [
    'float32',
    'float32',
    'float64',
    'bfloat16',
    'float16',
    'int64',
    'uint8',
  ]);
  const differentiable = random() < 0.5;
  return values.map((value) => materialize(random, value, floating, differentiable));
}

function mutate(random: Random, value: unknown, pool: readonly Tensor[]): unknown {
  if (random() < 0.05) {
    return randomArgument(
      random,
      {
        name: '',
        type: pick(random, ['Tensor', 'int', 'int[]', 'Scalar']),
        optional: true,
        keywordOnly: false,
      },
      pool,
    );
  }
  if (Array.isArray(value)) return mutateList(random, value, pool);
  if (isTensorExample(value)) return mutateTensor(random, value);
  if (typeof value === 'number') return random() < 0.3 ? value + pick(random, [-1, 1, 2]) : oddNumber(random);
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const chosen = Math.floor(random() * entries.length);
    return Object.fromEntries(
      entries.map(([key, item], i) => [key, i === chosen ? mutate(random, item, pool) : item]),
    );
  }
  return randomArgument(random, { name: '', type: 'str', optional: true, keywordOnly: false }, pool);
}

function mutateList(random: Random, list: readonly unknown[], pool: readonly Tensor[]): unknown[] {
  const chosen = Math.floor(random() * list.length);
  const kind = random();
  if (kind < 0.1) return [];
  if (kind < 0.25) return list.filter((_, i) => i !== chosen);
  if (kind < 0.4) return [...list, list[chosen] ?? 1];
  return list.map((item, i) => (i === chosen ? mutate(random, item, pool) : item));
}

function mutateTensor(random: Random, example: TensorExample): TensorExample {
  const { shape } = example;
  const chosen = Math.floor(random() * shape.length);
  const kind = random();
  if (kind < 0.45 && shape.length > 0) {
    return {
      ...example,
      shape: shape.map((size, i) =>
        i === chosen ? Math.max(0, pick(random, [0, 1, size + 1, size - 1, size * 2])) : size,
      ),
    };
  }
  if (kind < 0.55) return { ...example, shape: shape.filter((_, i) => i !== chosen) };
  if (kind < 0.65) return { ...example, shape: [...shape, pick(random, [0, 1, 2])] };
  if (kind < 0.7) return { ...example, shape: [] };
  if (kind < 0.85) return { ...example, dtype: pick(random, dtypes) };
  return {
    ...example,
    values: (example.values ?? [1, 2]).map((value) =>
      pick(random, [value, -1, 5, 100, -100, 2 ** 40, -(2 ** 40)]),
    ),
  };
}

function materialize(random: Random, value: unknown, floating: Dtype, differentiable: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => materialize(random, item, floating, differentiable));
  if (isTensorExample(value)) return makeTensor(random, value, floating, differentiable);
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, materialize(random, item, floating, differentiable)]),
    );
  }
  return value;
}

function makeTensor(
  random: Random,
  example: TensorExample,
  floating: Dtype,
  differentiable: boolean,
): Tensor {
  const count = example.shape.reduce((product, size) => product * size, 1);
  const given = example.values ?? [];
  const data = Float64Array.from({ length: count }, () =>
    given.length > 0 ? pick(random, given) : Math.round((random() * 4 - 2) * 64) / 64,
  );
  const dtype = example.dtype === undefined || example.dtype === 'float64' ? floating : example.dtype;
  let made = tensor(data, { shape: [...example.shape] }).to(dtype);
  if (random() < 0.1 && made.ndim >= 2) made = made.transpose(-1, -2).contiguous().transpose(-1, -2);
  if (random() < 0.05 && made.ndim === 4) made = made.to({ memoryFormat: 'channelsLast' });
  if (differentiable && example.dtype === undefined && dtype.includes('float')) made.requiresGrad = true;
  return made;
}

function isTensorExample(value: unknown): value is TensorExample {
  return typeof value === 'object' && value !== null && !(value instanceof Tensor) && 'shape' in value;
}
