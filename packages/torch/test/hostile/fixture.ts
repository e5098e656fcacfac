// Checkpoints written by PyTorch, with the values they must yield (bench/fixtures/checkpoints/make.py).

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type CheckpointValue,
  isSkippedObject,
  isStoredTensor,
} from '../../src/serialization/checkpointValue.js';
import { elementBytes, type StoredTensor } from '../../src/serialization/storedTensor.js';

/** A checkpoint on disk and the description of its value. */
export interface Fixture {
  readonly name: string;
  readonly path: string;
  readonly expected: unknown;
}

/** The folder with the fixtures. */
export const fixtureFolder = fileURLToPath(new URL('../fixtures/checkpoints/', import.meta.url));

/**
 * Lists all available checkpoints, from every version of PyTorch.
 *
 * @example
 * fixtures().map(({ name }) => name).includes('plain_113') // true
 */
export function fixtures(): Fixture[] {
  return readdirSync(fixtureFolder)
    .filter((file) => file.endsWith('.pt'))
    .map((file) => {
      const name = file.slice(0, -'.pt'.length);
      const { value } = JSON.parse(readFileSync(`${fixtureFolder}${name}.json`, 'utf8'));
      return { name, path: fixtureFolder + file, expected: value };
    });
}

/**
 * Describes a value as make.py does: as plain JSON if possible, otherwise as an object that says what it is.
 *
 * @example
 * described([1, 2n ** 60n]) // [1, { int: '1152921504606846976' }]
 */
export function described(value: CheckpointValue): unknown {
  if (typeof value === 'bigint') return { int: String(value) };
  if (typeof value === 'number') return describedNumber(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(described);
  if (value instanceof Map)
    return { dict: [...value].map(([key, item]) => [described(key), described(item)]) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') };
  if (isSkippedObject(value)) return { skipped: true };
  if (!isStoredTensor(value)) throw new TypeError('a value of no kind that a checkpoint holds');
  return { tensor: value.dtype, shape: [...value.shape], values: elements(value) };
}

function describedNumber(value: number): unknown {
  if (Object.is(value, -0)) return { float: '-0.0' };
  if (Number.isFinite(value)) return value;
  return { float: Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf' };
}

function elements({ dtype, shape, data }: StoredTensor): unknown[] {
  const width = elementBytes[dtype];
  const count = shape.reduce((product, size) => product * size, 1);
  if (data.byteLength !== count * width)
    throw new RangeError(`${data.byteLength} bytes for ${count} of ${dtype}`);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const read: Record<StoredTensor['dtype'], (at: number) => unknown> = {
    float64: (at) => describedNumber(view.getFloat64(at, true)),
    float32: (at) => describedNumber(view.getFloat32(at, true)),
    float16: (at) => describedNumber(half(view.getUint16(at, true))),
    bfloat16: (at) => describedNumber(brain(view.getUint16(at, true))),
    int64: (at) => String(view.getBigInt64(at, true)),
    int32: (at) => view.getInt32(at, true),
    int16: (at) => view.getInt16(at, true),
    int8: (at) => view.getInt8(at),
    uint8: (at) => view.getUint8(at),
    bool: (at) => view.getUint8(at),
  };
  return Array.from({ length: count }, (_, i) => read[dtype](i * width));
}

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

/** A bfloat16 is the upper half of a float32. */
function brain(bits: number): number {
  return new Float32Array(new Uint32Array([bits << 16]).buffer)[0]!;
}
