// The header of a page, in Thrift's compact protocol. hyparquet reads headers too, but only together with what follows
// them, which we check first; and it decodes the checked pages behind headers that we write.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

import type { Encoding } from 'hyparquet';
import { DataError } from '../../../errors/dataError.js';
import { varint, zigzag } from './packedBits.js';

/** Parquet's numbers for encodings. */
const encodings: readonly (Encoding | undefined)[] = [
  'PLAIN',
  undefined,
  'PLAIN_DICTIONARY',
  'RLE',
  'BIT_PACKED',
  'DELTA_BINARY_PACKED',
  'DELTA_LENGTH_BYTE_ARRAY',
  'DELTA_BYTE_ARRAY',
  'RLE_DICTIONARY',
  'BYTE_STREAM_SPLIT',
];

/** Parquet's numbers for kinds of pages. */
const kinds = { data: 0, index: 1, dictionary: 2, dataV2: 3 } as const;

export interface PageHeader {
  readonly kind: keyof typeof kinds;
  /** Bytes of the page in the file, after the header. */
  readonly storedSize: number;
  /** Bytes of the page when uncompressed. */
  readonly size: number;
  readonly checksum: number | undefined;
  /** The number of values, including empty cells and empty lists. */
  readonly count: number;
  readonly encoding: Encoding;
  /** The encodings of levels, in `data`. */
  readonly levelEncodings: { readonly definition: Encoding; readonly repetition: Encoding };
  /** Bytes of the levels, in `dataV2`, where only the values may be compressed. */
  readonly levelBytes: { readonly definition: number; readonly repetition: number };
  readonly isCompressed: boolean;
}

/**
 * Reads the header of a page.
 *
 * @throws DataError if it is not one
 */
export function readPageHeader(
  bytes: Uint8Array,
  start: number,
): { readonly header: PageHeader; readonly end: number } {
  const { fields, end } = readStruct(bytes, start, 0);
  const number = fields.get(1);
  const kind = (Object.keys(kinds) as (keyof typeof kinds)[]).find((name) => kinds[name] === number);
  if (kind === undefined) throw new DataError(`a page of kind ${number} is not supported`);
  const own = fields.get({ data: 5, index: 6, dictionary: 7, dataV2: 8 }[kind]);
  const at = (field: number) => (own instanceof Map ? own.get(field) : undefined);
  const v2 = kind === 'dataV2';
  return {
    end,
    header: {
      kind,
      size: integer(fields.get(2)),
      storedSize: integer(fields.get(3)),
      checksum: fields.has(4) ? integer(fields.get(4)) : undefined,
      count: integer(at(1)),
      encoding: encodingOf(at(v2 ? 4 : 2)),
      levelEncodings: {
        definition: kind === 'data' ? encodingOf(at(3)) : 'RLE',
        repetition: kind === 'data' ? encodingOf(at(4)) : 'RLE',
      },
      levelBytes: v2
        ? { definition: integer(at(5)), repetition: integer(at(6)) }
        : { definition: 0, repetition: 0 },
      isCompressed: !v2 || at(7) !== false,
    },
  };
}

/** The header of an uncompressed page, with levels as in `data`. */
export function pageHeaderBytes(
  kind: 'data' | 'dictionary',
  { count, encoding, size }: { readonly count: number; readonly encoding: Encoding; readonly size: number },
): Uint8Array {
  const number = (value: number) => [0x15, ...varintBytes(2 * value)]; // the next field, a 32-bit integer
  const levels =
    kind === 'data' ? [...number(encodings.indexOf('RLE')), ...number(encodings.indexOf('RLE'))] : [];
  return Uint8Array.from([
    ...number(kinds[kind]),
    ...number(size),
    ...number(size),
    kind === 'data' ? 0x2c : 0x4c, // a struct, the field after the next, or three further
    ...number(count),
    ...number(encodings.indexOf(encoding)),
    ...levels,
    0, // the end of the struct
    0, // the end of the header
  ]);
}

type Struct = Map<number, Value>;

/** What is neither a number, nor a Boolean, nor a struct is skipped. */
type Value = number | boolean | Struct | undefined;

/** Page headers have structs in structs (statistics), but no more. */
const deepest = 8;

function readStruct(
  bytes: Uint8Array,
  start: number,
  depth: number,
): { readonly fields: Struct; readonly end: number } {
  if (depth > deepest) throw new DataError('a page header is damaged');
  const fields: Struct = new Map();
  let at = start;
  for (let id = 0; ; ) {
    const head = byteAt(bytes, at++);
    if (head === 0) return { fields, end: at };
    if (head >> 4 === 0) {
      const field = zigzag(bytes, at);
      id = field.value;
      at = field.end;
    } else id += head >> 4;
    const { value, end } = readValue(bytes, at, head & 15, depth);
    fields.set(id, value);
    at = end;
  }
}

function readValue(
  bytes: Uint8Array,
  at: number,
  type: number,
  depth: number,
): { readonly value: Value; readonly end: number } {
  if (type === 1 || type === 2) return { value: type === 1, end: at };
  if (type === 3) return { value: byteAt(bytes, at), end: at + 1 };
  if (type >= 4 && type <= 6) return zigzag(bytes, at);
  if (type === 7) return { value: undefined, end: within(bytes, at + 8) };
  if (type === 8) {
    const { value: length, end } = varint(bytes, at);
    return { value: undefined, end: within(bytes, end + length) };
  }
  if (type === 12) {
    const { fields, end } = readStruct(bytes, at, depth + 1);
    return { value: fields, end };
  }
  throw new DataError('a page header is damaged');
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new DataError('a page header ends early');
  return byte;
}

function within(bytes: Uint8Array, end: number): number {
  if (!(end <= bytes.length)) throw new DataError('a page header ends early');
  return end;
}

function integer(value: Value): number {
  if (typeof value !== 'number') throw new DataError('a page header lacks a number');
  return value;
}

function encodingOf(value: Value): Encoding {
  const encoding = encodings[integer(value)];
  if (encoding === undefined) throw new DataError(`encoding ${String(value)} is not supported`);
  return encoding;
}

function varintBytes(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varintBytes(Math.floor(value / 0x80))];
}
