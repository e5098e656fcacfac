// https://huggingface.co/docs/safetensors: eight bytes with the header's length, a JSON
// header, then the tensors.

import { z } from 'zod';
import { DataError } from '../../errors/dataError.js';
import { listed } from '../../errors/listed.js';
import { parsedJson } from '../../files/wholeFile.js';
import type { HeaderReader, MatrixPlace, NumberType } from './storedMatrix.js';

const types: Readonly<Record<string, NumberType>> = {
  F16: 'float16',
  BF16: 'bfloat16',
  F32: 'float32',
  F64: 'float64',
  I8: 'int8',
  U8: 'uint8',
  BOOL: 'uint8',
  I16: 'int16',
  I32: 'int32',
  I64: 'int64',
};

const entry = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});

const longestHeader = 100 << 20;

/**
 * Locates the feature matrix in a `.safetensors` file: the tensor called `features`, `embeddings`, or
 * `embedding`, or else the only one with two dimensions.
 *
 * @example
 * await openStoredMatrix('features.safetensors', safetensorsPlace)
 */
export async function safetensorsPlace({ size, read }: HeaderReader, name: string): Promise<MatrixPlace> {
  if (size < 8) throw new DataError(`${name}: is not a .safetensors file`);
  const length = Number((await read(0, 8)).readBigUInt64LE());
  if (length > longestHeader || 8 + length > size) throw new DataError(`${name}: is not a .safetensors file`);
  const header = parsedJson((await read(8, length)).toString('utf8'));
  if (typeof header !== 'object' || header === null) throw new DataError(`${name}: its header is damaged`);
  const tensors = Object.entries(header).flatMap(([key, value]) => {
    const parsed = entry.safeParse(value);
    return key !== '__metadata__' && parsed.success ? [{ key, ...parsed.data }] : [];
  });
  const end = Math.max(...tensors.map(({ data_offsets: [, behind] }) => behind));
  if (tensors.length > 0 && 8 + length + end !== size) {
    throw new DataError(
      `${name}: has ${size} bytes, but its tensors end at ${8 + length + end}; is it complete?`,
    );
  }
  const matrices = tensors.filter(({ shape }) => shape.length === 2);
  const named = ['features', 'embeddings', 'embedding'].flatMap(
    (key) => matrices.find((one) => one.key === key) ?? [],
  );
  const chosen = named[0] ?? (matrices.length === 1 ? matrices[0] : undefined);
  if (!chosen) {
    throw new DataError(
      `${name}: no tensor 'features' of rows x features; its tensors are ${listed(tensors.map(({ key }) => key)) || 'none'}`,
    );
  }
  const { key, dtype, shape, data_offsets: offsets } = chosen;
  const type = types[dtype];
  if (type === undefined)
    throw new DataError(`${name}: tensor '${key}' is of type ${dtype}; expected numbers`);
  return {
    rows: shape[0]!,
    columns: shape[1]!,
    type,
    start: 8 + length + offsets[0],
    end: 8 + length + offsets[1],
  };
}

/** Fixed, so that the header can be rewritten once the rows have been counted. */
const headerBytes = 120;

/**
 * The header of a `.safetensors` file with one float32 matrix, `features`, with the
 * same length for all counts.
 *
 * @example
 * safetensorsHeader(5000, 512)
 */
export function safetensorsHeader(rows: number, columns: number): Buffer {
  const features = { dtype: 'F32', shape: [rows, columns], data_offsets: [0, 4 * rows * columns] };
  const text = JSON.stringify({ features });
  const header = Buffer.from(text.padEnd(headerBytes, ' '));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header]);
}
