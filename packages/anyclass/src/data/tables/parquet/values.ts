import type { Encoding } from 'hyparquet';
import { DataError } from '../../../errors/dataError.js';
import { unpackBits, varint, zigzag } from './packedBits.js';
import { readRuns } from './runs.js';
import type { Leaf } from './schema.js';

const widths = new Map([
  ['INT32', 4],
  ['INT64', 8],
  ['INT96', 12],
  ['FLOAT', 4],
  ['DOUBLE', 8],
]);

/**
 * Checks that bytes contain exactly `count` values, other than plain byte arrays and indices in a dictionary.
 * hyparquet trusts what it decodes.
 *
 * @throws {DataError} if they do not
 */
export function checkValues(bytes: Uint8Array, encoding: Encoding, leaf: Leaf, count: number): void {
  if (count === 0) return;
  const { type } = leaf.element;
  if (encoding === 'PLAIN' && type === 'BOOLEAN') checkSize(bytes, Math.ceil(count / 8));
  else if (encoding === 'PLAIN' || encoding === 'BYTE_STREAM_SPLIT') checkSize(bytes, count * widthOf(leaf));
  else if (encoding === 'RLE' && type === 'BOOLEAN') {
    if (bytes.length < 4) throw new DataError('a page ends early');
    readRuns(bytes.subarray(4, 4 + viewOf(bytes).getUint32(0, true)), { width: 1, count, match: 1 });
  } else if (encoding === 'DELTA_BINARY_PACKED') readDeltaHeader(bytes, 0, count);
  else if (encoding === 'DELTA_LENGTH_BYTE_ARRAY') {
    const lengths = readLengths(bytes, 0, count);
    checkSize(bytes, lengths.end + sum(lengths.values));
  } else if (encoding === 'DELTA_BYTE_ARRAY') {
    const prefixes = readLengths(bytes, 0, count);
    const suffixes = readLengths(bytes, prefixes.end, count);
    for (let i = 0; i < count; i++) {
      const before = i === 0 ? 0 : prefixes.values[i - 1]! + suffixes.values[i - 1]!;
      if (prefixes.values[i]! > before)
        throw new DataError('a text shares a longer prefix than the text before it');
    }
    checkSize(bytes, suffixes.end + sum(suffixes.values));
  } else throw new DataError(`values of type ${type} in the encoding ${encoding} are not supported`);
}

/**
 * Reads byte arrays, each after its length, without copying them.
 *
 * @throws {DataError} if they do not fill the bytes
 */
export function readByteArrays(bytes: Uint8Array, count: number): Uint8Array[] {
  const view = viewOf(bytes);
  const arrays: Uint8Array[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const start = at + 4;
    const length = start <= bytes.length ? view.getUint32(at, true) : 0;
    at = start + length;
    if (at > bytes.length) throw new DataError(`${i} texts; expected ${count}`);
    arrays.push(new Uint8Array(bytes.buffer, bytes.byteOffset + start, length)); // faster than subarray
  }
  checkSize(bytes, at);
  return arrays;
}

/** The most bits of a dictionary index: 16 million different values. */
const widestIndex = 24;

/**
 * Reads the indices of `count` values in a dictionary.
 *
 * @throws {DataError} if they are damaged or beyond the dictionary
 */
export function readIndices(bytes: Uint8Array, count: number, dictionaryLength: number): Int32Array {
  const indices = new Int32Array(count);
  if (count === 0) return indices;
  const width = bytes[0] ?? 0;
  if (width > widestIndex) throw new DataError(`dictionary indices of ${width} bits are not supported`);
  const { largest } = readRuns(bytes.subarray(1), { width, count, match: 0, out: indices });
  if (largest >= dictionaryLength)
    throw new DataError(`dictionary index ${largest}, but the dictionary has ${dictionaryLength} entries`);
  return indices;
}

function checkSize(bytes: Uint8Array, expected: number): void {
  if (bytes.length !== expected) throw new DataError(`${bytes.length} bytes of values; expected ${expected}`);
}

function widthOf({ element: { type, type_length: length = 0 } }: Leaf): number {
  const width = widths.get(String(type)) ?? length;
  if (!(width > 0)) throw new DataError(`values of type ${type} have length ${length}`);
  return width;
}

/** Lengths of texts, as differences in blocks of bit-packed parts. */
function readLengths(
  bytes: Uint8Array,
  start: number,
  count: number,
): { readonly values: Int32Array; readonly end: number } {
  const { block, parts, end } = readDeltaHeader(bytes, start, count);
  const values = new Int32Array(count);
  const first = zigzag(bytes, end);
  values[0] = first.value;
  let at = first.end;
  for (let seen = 1; seen < count; ) {
    const least = zigzag(bytes, at);
    const bitWidths = bytes.subarray(least.end, least.end + parts);
    at = least.end + parts;
    for (let part = 0; part < parts && seen < count; part++) {
      const width = bitWidths[part] ?? 64;
      const next = at + Math.ceil(((block / parts) * width) / 8);
      if (width > 32) throw new DataError(`lengths of ${width} bits are not supported`);
      unpackBits(bytes, at, width, Math.min(block / parts, count - seen), (value) => {
        values[seen] = values[seen - 1]! + least.value + value;
        seen += 1;
      });
      at = next;
    }
    if (at > bytes.length) throw new DataError('a page ends early');
  }
  if (values.some((length) => length < 0)) throw new DataError('a text has a negative length');
  return { values, end: at };
}

/**
 * The header of delta-encoded values. With a negative block size, hyparquet would read the same bytes forever.
 */
function readDeltaHeader(bytes: Uint8Array, start: number, count: number) {
  const block = varint(bytes, start);
  const parts = varint(bytes, block.end);
  const total = varint(bytes, parts.end);
  if (
    !(
      block.value > 0 &&
      block.value < 2 ** 31 &&
      parts.value > 0 &&
      block.value % parts.value === 0 &&
      parts.value <= bytes.length &&
      total.value === count
    )
  ) {
    throw new DataError(
      `${total.value} values in blocks of ${block.value} with ${parts.value} parts; expected ${count} values`,
    );
  }
  return { block: block.value, parts: parts.value, end: total.end };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function sum(numbers: Int32Array): number {
  return numbers.reduce((total, number) => total + number, 0);
}
