// Random arguments for an operator's parameters: mostly of the right kind with odd values, sometimes of a wrong kind.

import { arange, type Dtype, dtypes, full, rand, slice, Tensor, zeros } from '@anyclass/torch';

export interface CallParameter {
  readonly name: string;
  /** As in schema.ts: `Tensor`, `int[]`, `Scalar`, `index` … */
  readonly type: string;
  readonly optional: boolean;
  readonly keywordOnly: boolean;
}

export type Random = () => number;

/** Returns a generator of numbers in [0, 1) that depend only on the seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)]!;
}

// Sizes are either small or too large for memory; anything in between is legal and takes minutes.
const smallIntegers = [0, 1, 1, 2, 2, 3, 4, 5, 7, -1, -1, -2, -3];
// Truncated to 32 bits, the last would be 1. None is a size that even a large machine could allocate.
const oddIntegers = [-7, 8, 100, 2 ** 40, -(2 ** 40), 2 ** 53, -(2 ** 53), 2 ** 62, 2 ** 40 + 1];
const integerGarbage = [
  Number.NaN,
  1.5,
  Number.POSITIVE_INFINITY,
  2n ** 63n - 1n,
  -(2n ** 63n),
  2n ** 64n,
  1n,
];
const reals = [
  0,
  1,
  -1,
  0.5,
  1e-5,
  1e30,
  -1e30,
  5e-324,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -0,
  2 ** 63,
  1e300,
];
const texts = [
  'none',
  'tanh',
  'constant',
  'reflect',
  'replicate',
  'circular',
  'left',
  'right',
  '',
  'cpu',
  'float32',
];
const equations = [
  'ij,jk->ik',
  'i,i->',
  '...i,...i',
  'ii',
  'ij->ji',
  '->',
  ',',
  'i->ii',
  'ab,bc,cd',
  'i..j',
  'ij,jk->z',
];
const shapes = [
  [],
  [0],
  [1],
  [2],
  [3],
  [4],
  [7],
  [2, 3],
  [3, 2],
  [3, 3],
  [1, 4],
  [0, 3],
  [4, 0],
  [4, 4],
  [2, 3, 4],
  [1, 1, 1],
  [3, 4, 4],
  [1, 3, 4, 4],
  [2, 4, 4, 4],
  [2, 1, 5, 3],
  [4, 3, 3, 3],
  [4, 1, 2, 2],
  [2, 0, 4, 4],
  [0, 3, 4, 4],
  [2, 4, 2, 2, 2],
  [1, 2, 3, 2, 2],
  [1, 1, 1, 1, 1, 1],
] as const;

/** Makes tensors of many shapes and dtypes: contiguous or not, expanded, with and without gradients, and one disposed of. */
export function tensorPool(random: Random, size: number): Tensor[] {
  const disposed = zeros([2]);
  disposed.dispose();
  return [disposed, ...Array.from({ length: size }, () => randomTensor(random))];
}

export function randomArgument(random: Random, parameter: CallParameter, pool: readonly Tensor[]): unknown {
  if (random() < 0.04) return garbage(random, pool);
  if (parameter.optional && random() < 0.3) return pick(random, [null, undefined]);
  return rightKind(random, parameter.type, pool);
}

export function oddNumber(random: Random): unknown {
  return random() < 0.7 ? integer(random) : pick(random, reals);
}

/** Describes an argument briefly, so that a reader can understand the call and, with the seed, repeat it. */
export function describeArgument(value: unknown): string {
  if (value instanceof Tensor) return value.isDisposed ? 'disposed' : describeTensor(value);
  if (Array.isArray(value)) return `[${value.map(describeArgument).join(', ')}]`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${key}: ${describeArgument(inner)}`)
      .join(', ')} }`;
  }
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function rightKind(random: Random, type: string, pool: readonly Tensor[]): unknown {
  const list = (element: () => unknown, most: number) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, element);
  switch (type) {
    case 'Tensor':
      return random() < 0.01 ? pool[0] : pick(random, pool.slice(1));
    case 'Tensor[]':
      return list(() => pick(random, pool.slice(random() < 0.02 ? 0 : 1)), 4);
    case 'Tensor?[]':
      return list(() => (random() < 0.3 ? null : pick(random, pool.slice(1))), 4);
    case 'int':
      return integer(random);
    case 'int[]':
      return random() < 0.1 ? integer(random) : list(() => integer(random), random() < 0.5 ? 2 : 6);
    case 'float':
      return pick(random, reals);
    case 'float[]':
      return list(() => pick(random, reals), 4);
    case 'bool':
      return random() < 0.5;
    case 'bool[]':
      return list(() => random() < 0.5, 4);
    case 'Scalar':
      return random() < 0.5 ? integer(random) : pick<unknown>(random, [...reals, true, 3n]);
    case 'Scalar[]':
      return list(() => pick(random, reals), 4);
    case 'str':
      return pick(random, random() < 0.5 ? texts : equations);
    case 'ScalarType':
      return pick(random, dtypes);
    case 'Device':
      return pick(random, ['cpu', 'cpu', 'cpu', 'cuda', 'cuda:99', 'meta', 'cpu:1', 'xla', '']);
    case 'MemoryFormat':
      return pick(random, ['contiguous', 'preserve', 'channelsLast']);
    case 'index':
      return pick<unknown>(random, [
        integer(random),
        null,
        '...',
        randomSlice(random),
        pick(random, pool.slice(1)),
      ]);
    case 'function':
      return () => pick(random, pool.slice(1));
    case 'data':
      return pick<unknown>(random, [
        1,
        2n,
        true,
        [1, 2],
        [[1], [2]],
        [[1], [2, 3]],
        [1n, 2],
        [],
        new Float32Array(4),
        new BigInt64Array(2),
      ]);
    default:
      return garbage(random, pool);
  }
}

function integer(random: Random): number | bigint {
  const kind = random();
  if (kind < 0.85) return pick(random, smallIntegers);
  return kind < 0.95 ? pick(random, oddIntegers) : pick<number | bigint>(random, integerGarbage);
}

function randomSlice(random: Random): unknown {
  const bound = () => pick(random, [undefined, ...smallIntegers, 2 ** 53, -(2 ** 53)]);
  return slice(bound(), bound(), pick(random, [1, 2, 2 ** 53]));
}

function garbage(random: Random, pool: readonly Tensor[]): unknown {
  return pick<unknown>(random, [
    null,
    undefined,
    'text',
    {},
    [],
    [[]],
    [null],
    ['a', 1],
    Symbol.iterator,
    () => 1,
    new Float32Array(3),
    Number.NaN,
    true,
    10n,
    integer(random),
    pool[0],
    pick(random, pool),
    [pick(random, pool), 1],
    { dtype: 'complex64' },
    new Date(0),
    Object.create(null),
  ]);
}

function randomTensor(random: Random): Tensor {
  const shape = pick(random, shapes);
  const dtype: Dtype = random() < 0.5 ? 'float32' : pick(random, dtypes);
  let made = randomValues(random, shape, dtype);
  if (random() < 0.15 && shape.length >= 2) made = made.transpose(0, shape.length - 1);
  if (random() < 0.05) made = made.unsqueeze(0).expand([3, ...made.shape]);
  if (random() < 0.1 && made.ndim === 4) made = made.to({ memoryFormat: 'channelsLast' });
  const floating = dtype.includes('float');
  if (floating && random() < 0.3) {
    made = made.detach();
    made.requiresGrad = true;
  }
  return made;
}

function randomValues(random: Random, shape: readonly number[], dtype: Dtype): Tensor {
  const kind = random();
  if (kind < 0.5)
    return rand(shape)
      .mul(4)
      .sub(dtype === 'uint8' ? 0 : 2)
      .to(dtype);
  if (kind < 0.7)
    return arange(
      0,
      shape.reduce((product, size) => product * size, 1),
    )
      .reshape(shape)
      .to(dtype);
  const floating = dtype.includes('float');
  const values = floating ? reals : [0, 1, -1, 5, 100, 127];
  return full(shape, pick(random, values), { dtype: floating ? 'float64' : 'int64' }).to(dtype);
}

function describeTensor(tensor: Tensor): string {
  const strides = tensor.isContiguous() ? '' : ` strides [${tensor.strides.join(', ')}]`;
  const gradient = tensor.requiresGrad ? ' requiresGrad' : '';
  const values = tensor.numel <= 8 ? ` = ${tensor.detach().to('float64').toTypedArray().join(' ')}` : '';
  return `${tensor.dtype}[${tensor.shape.join(', ')}]${strides}${gradient}${values}`;
}
