// Values made with PyTorch by the scripts under bench/fixtures/engine.

import { readFileSync } from 'node:fs';
import { type Dtype, type Tensor, tensor } from '../src/index.js';

/** A tensor as a fixture stores it: its raw bytes, in base64. */
export interface StoredValues {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly bytes: string;
}

export function readFixture<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./fixtures/engine/${name}.json`, import.meta.url), 'utf8'));
}

export function fromFixture({ dtype, shape, bytes }: StoredValues): Tensor {
  const { buffer, byteOffset, byteLength } = Buffer.from(bytes, 'base64');
  const raw = buffer.slice(byteOffset, byteOffset + byteLength);
  return tensor(typedArray(dtype, raw), { shape, dtype });
}

function typedArray(dtype: Dtype, raw: ArrayBufferLike) {
  switch (dtype) {
    case 'uint8':
    case 'bool':
      return new Uint8Array(raw);
    case 'int8':
      return new Int8Array(raw);
    case 'int16':
      return new Int16Array(raw);
    case 'int32':
      return new Int32Array(raw);
    case 'int64':
      return new BigInt64Array(raw);
    case 'float16':
    case 'bfloat16':
      return new Uint16Array(raw);
    case 'float32':
      return new Float32Array(raw);
    case 'float64':
      return new Float64Array(raw);
  }
}
