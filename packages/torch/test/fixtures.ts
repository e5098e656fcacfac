// Values made with PyTorch by the scripts under bench/fixtures/engine.

import { readFileSync } from 'node:fs';
import { type Dtype, type Tensor, tensor } from '../src/index.js';
import { allocate } from '../src/native/dtype.js';

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
  const raw = Buffer.from(bytes, 'base64');
  const data = allocate(dtype, raw.byteLength / allocate(dtype, 0).BYTES_PER_ELEMENT);
  new Uint8Array(data.buffer).set(raw);
  return tensor(data, { shape, dtype });
}
