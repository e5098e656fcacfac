// A page of a column: levels, which mark empty cells and list boundaries, then values. hyparquet decodes
// pages without checking them; whether their parts agree is checked here first.

import { crc32 } from 'node:zlib';
import type { Encoding, PageHeader } from 'hyparquet';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, isFlatColumn } from 'hyparquet/src/schema.js';
import type { ColumnDecoder } from 'hyparquet/src/types.js';
import { DataError } from '../../../errors/dataError.js';
import { checkRuns } from './runs.js';
import { checkValues } from './values.js';

/** The progress of reading a column. */
export interface ColumnProgress {
  /** The number of values, including empty cells and empty lists, that pages may still have. */
  readonly valuesLeft: number;
  readonly dictionaryLength: number;
}

/** An uncompressed page, with a matching header. */
export interface PlainPage {
  readonly header: PageHeader;
  readonly bytes: Uint8Array;
  /** The number of values, as `valuesLeft` counts them; 0 for a dictionary. */
  readonly values: number;
  /**
   * For a flat column with empty cells, which are not in `bytes`: 1 for each cell with a value, 0 otherwise.
   */
  readonly filled?: Uint8Array | undefined;
}

/**
 * Decompresses a page and checks it: its checksum, if any, its declared size, its levels, and
 * that its values fill it.
 *
 * @throws {DataError} if anything does not agree
 */
export function plainPage(
  stored: Uint8Array,
  header: PageHeader,
  column: ColumnDecoder,
  progress: ColumnProgress,
): PlainPage {
  if (header.crc !== undefined && (crc32(stored) | 0) !== header.crc) {
    throw new DataError('a page has a wrong checksum');
  }
  const size = Number(header.uncompressed_page_size);
  const page = (bytes: Uint8Array, values: number, more: Partial<PageHeader> = {}): PlainPage => ({
    header: { ...header, ...more, compressed_page_size: size },
    bytes,
    values,
  });
  const unpacked = (bytes: Uint8Array, length: number) =>
    decompressPage(bytes, length, column.codec, column.compressors);
  if (header.dictionary_page_header) {
    const bytes = unpacked(stored, size);
    checkValues(bytes, 'PLAIN', column, header.dictionary_page_header.num_values, progress.dictionaryLength);
    return page(bytes, 0);
  }
  if (header.data_page_header_v2) {
    const { num_values: count, encoding, is_compressed: isCompressed, ...v2 } = header.data_page_header_v2;
    const [repetition, definition] = [v2.repetition_levels_byte_length, v2.definition_levels_byte_length];
    checkCount(count, progress);
    checkLength(repetition, stored.length);
    checkLength(definition, stored.length - repetition);
    const levels = repetition + definition;
    checkLevels(stored.subarray(0, repetition), getMaxRepetitionLevel(column.schemaPath), count);
    const { present, filled } = checkLevels(
      stored.subarray(repetition, levels),
      getMaxDefinitionLevel(column.schemaPath),
      count,
    );
    const rest = stored.subarray(levels);
    const values = isCompressed === false ? rest : unpacked(rest, size - levels);
    checkValues(values, encoding, column, present, progress.dictionaryLength);
    if (isFlatColumn(column.schemaPath)) return flatPage(values, encoding, { count, present, filled });
    const bytes = values === rest ? stored : Buffer.concat([stored.subarray(0, levels), values]);
    // The number of empty cells comes from the levels; writers disagree on whether empty lists count.
    const v2Header = { ...header.data_page_header_v2, num_nulls: count - present };
    return page(bytes, count, { data_page_header_v2: v2Header });
  }
  const head = header.data_page_header;
  if (!head) throw new DataError(`a page of kind ${header.type} is not supported`);
  checkCount(head.num_values, progress);
  const bytes = unpacked(stored, size);
  let at = 0;
  const levelsOf = (largest: number, encoding: string) => {
    if (largest === 0) return { present: head.num_values };
    if (encoding !== 'RLE') throw new DataError(`levels in the encoding ${encoding} are not supported`);
    const length = lengthAt(bytes, at);
    at += 4 + length;
    return checkLevels(bytes.subarray(at - length, at), largest, head.num_values);
  };
  levelsOf(getMaxRepetitionLevel(column.schemaPath), head.repetition_level_encoding);
  const found = levelsOf(getMaxDefinitionLevel(column.schemaPath), head.definition_level_encoding);
  const values = bytes.subarray(at);
  checkValues(values, head.encoding, column, found.present, progress.dictionaryLength);
  return isFlatColumn(column.schemaPath)
    ? flatPage(values, head.encoding, { count: head.num_values, ...found })
    : page(bytes, head.num_values);
}

/**
 * The values alone, as a page of a column without empty cells: hyparquet would create large arrays of levels.
 */
function flatPage(
  bytes: Uint8Array,
  encoding: Encoding,
  { count, present, filled }: FoundLevels & { count: number },
): PlainPage {
  const size = { uncompressed_page_size: bytes.length, compressed_page_size: bytes.length };
  const levels = { definition_level_encoding: 'RLE', repetition_level_encoding: 'RLE' } as const;
  return {
    header: { type: 'DATA_PAGE', ...size, data_page_header: { num_values: present, encoding, ...levels } },
    bytes,
    values: count,
    ...(present < count && { filled }),
  };
}

interface FoundLevels {
  /** The number of values that are not empty. */
  readonly present: number;
  /** The levels. */
  readonly filled?: Uint8Array | undefined;
}

function checkLevels(bytes: Uint8Array, largest: number, count: number): FoundLevels {
  if (largest === 0) {
    if (bytes.length > 0) throw new DataError('levels in a column that has none');
    return { present: count };
  }
  const filled = largest === 1 ? new Uint8Array(count) : undefined;
  const width = 32 - Math.clz32(largest);
  const found = checkRuns(bytes, { width, count, match: largest, out: filled });
  if (found.largest > largest) throw new DataError(`a level of ${found.largest}, above ${largest}`);
  return { present: found.matches, filled };
}

function checkCount(count: number, { valuesLeft }: ColumnProgress): void {
  if (!(count >= 0 && count <= valuesLeft)) {
    throw new DataError(`a page has ${count} values, but ${valuesLeft} remain`);
  }
}

function lengthAt(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) throw new DataError('a page ends early');
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(at, true);
  checkLength(length, bytes.length - at - 4);
  return length;
}

function checkLength(length: number, room: number): void {
  if (!(length >= 0 && length <= room))
    throw new DataError(`levels take ${length} bytes, but ${room} remain`);
}
