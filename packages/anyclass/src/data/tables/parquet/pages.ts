// The pages of a column: levels, which mark empty cells and list boundaries, then values. Whether their parts agree is
// checked here; hyparquet decodes pages without checking them, and loops for minutes on some that are damaged.

import { crc32 } from 'node:zlib';
import { type CompressionCodec, type Compressors, type Encoding, snappyUncompress } from 'hyparquet';
import { DataError } from '../../../errors/dataError.js';
import { type PageHeader, readPageHeader } from './pageHeader.js';
import type { PageRoom } from './pageRoom.js';
import { readRuns } from './runs.js';
import type { Leaf } from './schema.js';
import { checkValues, readByteArrays, readIndices } from './values.js';

/** A checked, uncompressed page. */
export interface Page {
  readonly kind: 'data' | 'dictionary';
  readonly encoding: Encoding;
  /** The number of values, including empty cells and empty lists. */
  readonly count: number;
  /** The number of values that are not empty. */
  readonly present: number;
  /** The number of rows that start in the page. */
  readonly rows: number;
  /** The levels, as runs; without bytes if the column has none. */
  readonly levels: { readonly repetition: Uint8Array; readonly definition: Uint8Array };
  /** For a column without lists in which only the value may be missing: 1 for each value, 0 for an empty cell. */
  readonly filled?: Uint8Array | undefined;
  readonly values: Uint8Array;
  /** The values, if they are plain byte arrays. */
  readonly byteArrays?: readonly Uint8Array[] | undefined;
  /** The values' places in the dictionary, if the page refers to one. */
  readonly indices?: Int32Array | undefined;
}

export interface StoredColumn {
  readonly bytes: Uint8Array;
  readonly leaf: Leaf;
  readonly codec: CompressionCodec;
  readonly compressors: Compressors | undefined;
  /** The number of values in all pages, including empty cells and empty lists. */
  readonly count: number;
  /** Where the decompressed pages stay: those of a list all at once, otherwise the dictionary and one page. */
  readonly room: PageRoom;
}

/**
 * Reads and checks the pages of a column: checksums, sizes, levels, and that values fill their page.
 *
 * @throws {DataError} if anything does not agree
 */
export function* readPages(column: StoredColumn): Generator<Page> {
  const { bytes } = column;
  let dictionaryLength = 0;
  let at = 0;
  for (let left = column.count; left > 0; ) {
    const { header, end: start } = readPageHeader(bytes, at);
    at = start + header.storedSize;
    if (!(at >= start && at <= bytes.length)) throw new DataError('a page extends beyond its column');
    const stored = bytes.subarray(start, at);
    if (header.checksum !== undefined && (crc32(stored) | 0) !== header.checksum) {
      throw new DataError('a page has a wrong checksum');
    }
    if (header.kind === 'dictionary') {
      column.room.add(column, bytesOf(header));
      const page = dictionary(stored, header, column);
      dictionaryLength = page.count;
      yield page;
      continue;
    }
    if (!(header.count >= 0 && header.count <= left)) {
      throw new DataError(`a page has ${header.count} values, but ${left} remain`);
    }
    left -= header.count;
    if (column.leaf.isFlat) column.room.replace(column.leaf, bytesOf(header));
    else column.room.add(column.leaf, bytesOf(header));
    yield dataPage(stored, header, column, dictionaryLength);
  }
}

/** What a page takes in memory: its bytes, and for each value a place in the dictionary and whether it is there. */
function bytesOf({ size, count }: PageHeader): number {
  return Math.max(0, size) + 5 * Math.max(0, count);
}

const noLevels = { repetition: new Uint8Array(0), definition: new Uint8Array(0) };

function dictionary(stored: Uint8Array, { size, count }: PageHeader, column: StoredColumn): Page {
  const values = unpacked(stored, size, column);
  const page = { kind: 'dictionary', encoding: 'PLAIN', count, present: count, rows: 0, values } as const;
  return { ...page, ...checkedValues(page, column.leaf, 0), levels: noLevels };
}

function dataPage(
  stored: Uint8Array,
  header: PageHeader,
  column: StoredColumn,
  dictionaryLength: number,
): Page {
  const { leaf } = column;
  const { count, encoding } = header;
  const { levels, values } =
    header.kind === 'dataV2' ? partsOfV2(stored, header, column) : partsOf(stored, header, column);
  const isList = leaf.repetition > 0;
  const filled = leaf.definition === 1 && !isList ? new Uint8Array(count) : undefined;
  const rows = isList ? readLevels(levels.repetition, leaf.repetition, count, { match: 0 }) : count;
  const present =
    leaf.definition > 0
      ? readLevels(levels.definition, leaf.definition, count, { match: leaf.definition, out: filled })
      : count;
  const page = { kind: 'data', encoding, count, present, rows, levels, filled, values } as const;
  return { ...page, ...checkedValues(page, leaf, dictionaryLength) };
}

/** Checks a page's values. Those that are easily read are read. */
function checkedValues(
  { encoding, present, values }: Pick<Page, 'encoding' | 'present' | 'values'>,
  leaf: Leaf,
  dictionaryLength: number,
): Pick<Page, 'byteArrays' | 'indices'> {
  if (!(present >= 0)) throw new DataError(`${present} values`);
  if (encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY') {
    return { indices: readIndices(values, present, dictionaryLength) };
  }
  if (encoding === 'PLAIN' && leaf.element.type === 'BYTE_ARRAY') {
    return { byteArrays: readByteArrays(values, present) };
  }
  checkValues(values, encoding, leaf, present);
  return {};
}

function partsOf(stored: Uint8Array, header: PageHeader, column: StoredColumn) {
  if (header.kind !== 'data') throw new DataError(`a page of kind ${header.kind} is not supported`);
  const bytes = unpacked(stored, header.size, column);
  let at = 0;
  const next = (largest: number, encoding: Encoding) => {
    if (largest === 0) return bytes.subarray(0, 0);
    if (encoding !== 'RLE') throw new DataError(`levels in the encoding ${encoding} are not supported`);
    if (at + 4 > bytes.length) throw new DataError('a page ends early');
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(at, true);
    at += 4;
    checkLength(length, bytes.length - at);
    at += length;
    return bytes.subarray(at - length, at);
  };
  const repetition = next(column.leaf.repetition, header.levelEncodings.repetition);
  const definition = next(column.leaf.definition, header.levelEncodings.definition);
  return { levels: { repetition, definition }, values: bytes.subarray(at) };
}

/** In the second version of a page, levels are never compressed. */
function partsOfV2(
  stored: Uint8Array,
  { size, levelBytes: { repetition, definition }, isCompressed }: PageHeader,
  column: StoredColumn,
) {
  checkLength(repetition, stored.length);
  checkLength(definition, stored.length - repetition);
  const { leaf } = column;
  if ((leaf.repetition === 0 && repetition > 0) || (leaf.definition === 0 && definition > 0)) {
    throw new DataError('levels in a column that has none');
  }
  const end = repetition + definition;
  const rest = stored.subarray(end);
  return {
    levels: { repetition: stored.subarray(0, repetition), definition: stored.subarray(repetition, end) },
    values: isCompressed ? unpacked(rest, size - end, column) : rest,
  };
}

/** Reads levels and returns how many of them equal `match`. */
function readLevels(
  bytes: Uint8Array,
  largest: number,
  count: number,
  options: { readonly match: number; readonly out?: Uint8Array | undefined },
): number {
  const found = readRuns(bytes, { width: 32 - Math.clz32(largest), count, ...options });
  if (found.largest > largest) throw new DataError(`a level of ${found.largest}, above ${largest}`);
  return found.matches;
}

/** The most bytes that a compressed byte can stand for. */
const densest: Readonly<Partial<Record<CompressionCodec, number>>> = {
  UNCOMPRESSED: 1,
  SNAPPY: 64,
  LZ4: 256,
  LZ4_RAW: 256,
  GZIP: 1100,
};

/** The same for the others: what a block of repeated bytes takes in Zstandard. */
const densestOther = 1 << 16;

/** Decompresses a page, after a check that so few bytes can stand for so many. */
function unpacked(stored: Uint8Array, size: number, { codec, compressors }: StoredColumn): Uint8Array {
  const most = (stored.length + 1) * (densest[codec] ?? densestOther);
  if (!(size >= 0 && size <= most))
    throw new DataError(`a page of ${size} bytes, which do not fit into ${stored.length} of ${codec}`);
  if (size === 0) return new Uint8Array(0); // of which LZ4 finds no end
  const bytes = decompress(stored, size, codec, compressors);
  if (bytes.length === size) return bytes;
  throw new DataError(`a page of ${bytes.length} bytes; expected ${size}`);
}

function decompress(
  stored: Uint8Array,
  size: number,
  codec: CompressionCodec,
  compressors: Compressors | undefined,
): Uint8Array {
  if (codec === 'UNCOMPRESSED') return stored;
  const other = compressors?.[codec];
  if (other) return other(stored, size);
  if (codec !== 'SNAPPY') throw new DataError(`compression with ${codec} is not supported`);
  const out = new Uint8Array(size);
  snappyUncompress(stored, out);
  return out;
}

function checkLength(length: number, room: number): void {
  if (!(length >= 0 && length <= room))
    throw new DataError(`levels take ${length} bytes, but ${room} remain`);
}
