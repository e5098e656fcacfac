import type { Encoding } from 'hyparquet';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readVarInt } from 'hyparquet/src/thrift.js';
import type { ColumnDecoder, DataReader } from 'hyparquet/src/types.js';
import { DataError } from '../../../errors/dataError.js';
import { checkRuns } from './runs.js';

/** The most bits of a dictionary index that the decoder supports. */
const widestIndex = 24;

const widths = { INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8 } as const;

/**
 * Checks that bytes contain exactly `count` values in an encoding.
 *
 * @throws {DataError} if they do not
 */
export function checkValues(
  bytes: Uint8Array,
  encoding: Encoding,
  column: ColumnDecoder,
  count: number,
  dictionaryLength: number,
): void {
  if (!(count >= 0)) throw new DataError(`${count} values`);
  if (count === 0) return;
  const { type } = column;
  if (encoding === 'PLAIN' && type === 'BYTE_ARRAY') checkTexts(bytes, count);
  else if (encoding === 'PLAIN' && type === 'BOOLEAN') checkSize(bytes, Math.ceil(count / 8));
  else if (encoding === 'PLAIN' || encoding === 'BYTE_STREAM_SPLIT')
    checkSize(bytes, count * widthOf(column));
  else if (encoding === 'RLE' && type === 'BOOLEAN') {
    checkRuns(bytes.subarray(4, 4 + readerOf(bytes).view.getUint32(0, true)), { width: 1, count, match: 1 });
  } else if (encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY') {
    const width = bytes[0] ?? 0;
    if (width > widestIndex) throw new DataError(`dictionary indices of ${width} bits are not supported`);
    const { largest } = checkRuns(bytes.subarray(1), { width, count, match: 0 });
    if (largest >= dictionaryLength)
      throw new DataError(`dictionary index ${largest}, but the dictionary has ${dictionaryLength} entries`);
  } else if (encoding === 'DELTA_BINARY_PACKED') checkDeltas(readerOf(bytes), count);
  else if (encoding === 'DELTA_LENGTH_BYTE_ARRAY') {
    const reader = readerOf(bytes);
    const lengths = deltaLengths(reader, count);
    checkSize(bytes, reader.offset + sum(lengths));
  } else if (encoding === 'DELTA_BYTE_ARRAY') {
    const reader = readerOf(bytes);
    const prefixes = deltaLengths(reader, count);
    const suffixes = deltaLengths(reader, count);
    for (let i = 0; i < count; i++) {
      const before = i === 0 ? 0 : prefixes[i - 1]! + suffixes[i - 1]!;
      if (prefixes[i]! > before) throw new DataError('a text shares a longer prefix than the text before it');
    }
    checkSize(bytes, reader.offset + sum(suffixes));
  } else throw new DataError(`values of type ${type} in the encoding ${encoding} are not supported`);
}

function checkSize(bytes: Uint8Array, expected: number): void {
  if (bytes.length !== expected) throw new DataError(`${bytes.length} bytes of values; expected ${expected}`);
}

function checkTexts(bytes: Uint8Array, count: number): void {
  const { view } = readerOf(bytes);
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) throw new DataError(`${i} texts; expected ${count}`);
    at += 4 + view.getUint32(at, true);
  }
  checkSize(bytes, at);
}

function widthOf({ type, element }: ColumnDecoder): number {
  if (type in widths) return widths[type as keyof typeof widths];
  const length = element.type_length ?? 0;
  if (!(length > 0)) throw new DataError(`values of type ${type} have length ${length}`);
  return length;
}

function deltaLengths(reader: DataReader, count: number): Int32Array {
  checkDeltas(reader, count);
  const lengths = new Int32Array(count);
  deltaBinaryUnpack(reader, count, lengths);
  if (lengths.some((length) => length < 0)) throw new DataError('a text has a negative length');
  return lengths;
}

/**
 * Checks the header of delta-encoded values: with a negative block size, the decoder would
 * read the same bytes forever.
 */
function checkDeltas({ view, offset }: DataReader, count: number): void {
  const reader = { view, offset };
  const [block, parts, total] = [readVarInt(reader), readVarInt(reader), readVarInt(reader)];
  if (!(block > 0 && parts > 0 && block % parts === 0 && parts <= view.byteLength && total === count)) {
    throw new DataError(
      `${total} values in blocks of ${block} with ${parts} parts; expected ${count} values`,
    );
  }
}

function readerOf(bytes: Uint8Array): DataReader {
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
}

function sum(numbers: Int32Array): number {
  return numbers.reduce((total, number) => total + number, 0);
}
