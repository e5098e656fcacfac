// Reads the metadata of an ONNX file without its weights; onnxruntime's JavaScript API does not expose it.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { UserError } from '../../errors/userError.js';

/** The field of a model that holds its metadata, an entry each. */
export const metadataField = 14;

/**
 * Reads the metadata of an ONNX file, one string per key, and skips the rest, so large files take no longer.
 *
 * @throws UserError if the file is not an ONNX model
 *
 * @example
 * readOnnxMetadata('model.onnx')['classes'] // '["crack","roots"]'
 */
export function readOnnxMetadata(path: string): Record<string, string> {
  const file = openSync(path, 'r');
  try {
    const { read, size } = reading(file);
    return Object.fromEntries(metadataEntries(read, size));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError(`${path}: is not an ONNX file, or is damaged (${error.message})`);
  } finally {
    closeSync(file);
  }
}

/** Returns where an open file has everything but metadata: the graph, its weights and the versions. */
export function contentExtents(file: number): { readonly start: number; readonly end: number }[] {
  const { read, size } = reading(file);
  const extents: { start: number; end: number }[] = [];
  let from = 0;
  for (const { field, start, length } of fields(read, size)) {
    if (field !== metadataField) extents.push({ start: from, end: start + length });
    from = start + length;
  }
  return extents;
}

function reading(file: number): { readonly read: Read; readonly size: number } {
  const { size } = fstatSync(file);
  return {
    size,
    read(position, length) {
      const bytes = new Uint8Array(Math.min(length, Math.max(0, size - position)));
      readSync(file, bytes, 0, bytes.length, position);
      return bytes;
    },
  };
}

type Read = (position: number, length: number) => Uint8Array;

function* metadataEntries(read: Read, size: number): Generator<[string, string]> {
  for (const { field, start, length } of fields(read, size)) {
    if (field !== metadataField) continue;
    const bytes = read(start, length);
    const texts = Array.from(
      fields((position, count) => bytes.subarray(position, position + count), bytes.length),
      (part) => new TextDecoder().decode(bytes.subarray(part.start, part.start + part.length)),
    );
    yield [texts[0] ?? '', texts[1] ?? ''];
  }
}

interface Field {
  readonly field: number;
  readonly start: number;
  readonly length: number;
}

/** Iterates over the fields of a protobuf message. */
function* fields(read: Read, size: number): Generator<Field> {
  for (let position = 0; position < size; ) {
    const tag = varint(read, position);
    const [field, type] = [Math.floor(tag.value / 8), tag.value % 8];
    const { start, length } = extent(read, tag.end, type);
    if (start + length > size)
      throw new RangeError(`field ${field} at byte ${position} ends beyond the file`);
    yield { field, start, length };
    position = start + length;
  }
}

/** The position and length of a value, by its wire type. */
function extent(read: Read, position: number, type: number): { start: number; length: number } {
  if (type === 0) return { start: position, length: varint(read, position).end - position };
  if (type === 1) return { start: position, length: 8 };
  if (type === 5) return { start: position, length: 4 };
  if (type !== 2) throw new RangeError(`a field of type ${type} at byte ${position}`);
  const { value, end } = varint(read, position);
  return { start: end, length: value };
}

const longestVarint = 10;

function varint(read: Read, position: number): { value: number; end: number } {
  let value = 0;
  for (const [i, byte] of read(position, longestVarint).entries()) {
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return { value, end: position + i + 1 };
  }
  throw new RangeError(`no number at byte ${position}`);
}
