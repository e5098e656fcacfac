// hyparquet decodes values and assembles lists and structs. Its interface takes files, so checked pages are handed to it
// as a small file in memory with one column. It reads nothing that was not checked.

import {
  type ColumnChunk,
  type DecodedArray,
  type FileMetaData,
  parquetRead,
  type SchemaElement,
} from 'hyparquet';
import { DataError } from '../../../errors/dataError.js';
import { pageHeaderBytes } from './pageHeader.js';
import type { Page } from './pages.js';
import type { Leaf } from './schema.js';

/** The pages of a leaf: data pages, after a dictionary if they refer to one. */
export interface LeafPages {
  readonly leaf: Leaf;
  readonly pages: readonly Page[];
}

/**
 * Decodes values without levels: the filled cells of a flat column, or its dictionary.
 *
 * @example
 * await decodeValues(leaf, page) // Float32Array [0.5, 0.25]
 */
export async function decodeValues(
  { path, element }: Leaf,
  { encoding, present, values, byteArrays }: Page,
): Promise<DecodedArray> {
  if (present === 0) return [];
  // The images of a table, and most of its texts: not worth a copy.
  if (byteArrays && isText(element)) return byteArrays.map(textOf);
  if (byteArrays && isBytes(element)) return [...byteArrays];
  const required: SchemaElement = { ...element, repetition_type: 'REQUIRED' };
  const leaf: Leaf = { path, element: required, repetition: 0, definition: 0, isFlat: true };
  const page = {
    kind: 'data',
    encoding,
    count: present,
    present,
    rows: present,
    levels: none,
    values,
  } as const;
  return decodeColumn([required], [{ leaf, pages: [page] }], present);
}

function isBytes({ type, converted_type, logical_type }: SchemaElement): boolean {
  return type === 'BYTE_ARRAY' && converted_type === undefined && logical_type === undefined;
}

function isText({ type, converted_type, logical_type }: SchemaElement): boolean {
  return type === 'BYTE_ARRAY' && (converted_type === 'UTF8' || logical_type?.type === 'STRING');
}

const none = { repetition: new Uint8Array(0), definition: new Uint8Array(0) };

/**
 * Decodes a column of the schema with all its leaves.
 *
 * @param elements the column's schema
 */
export async function decodeColumn(
  elements: readonly SchemaElement[],
  leaves: readonly LeafPages[],
  rows: number,
): Promise<DecodedArray> {
  const parts: Uint8Array[] = [];
  let at = 0;
  const write = (bytes: Uint8Array) => {
    parts.push(bytes);
    at += bytes.length;
  };
  // hyparquet takes a dictionary at byte 0 for none.
  if (leaves.some(({ pages }) => pages[0]?.kind === 'dictionary')) write(new Uint8Array(4));
  const columns = leaves.map(({ leaf, pages }): ColumnChunk => {
    const start = at;
    let dataStart = start;
    for (const page of pages) {
      writePage(page, leaf, write);
      if (page.kind === 'dictionary') dataStart = at;
    }
    const size = BigInt(at - start);
    return {
      file_offset: 0n,
      meta_data: {
        type: leaf.element.type!,
        encodings: [],
        path_in_schema: [...leaf.path],
        codec: 'UNCOMPRESSED',
        num_values: BigInt(pages.reduce((sum, { kind, count }) => sum + (kind === 'data' ? count : 0), 0)),
        total_uncompressed_size: size,
        total_compressed_size: size,
        data_page_offset: BigInt(dataStart),
        ...(dataStart > start && { dictionary_page_offset: BigInt(start) }),
      },
    };
  });
  const [num_rows, total_byte_size] = [BigInt(rows), BigInt(at)];
  return readOnly(joined(parts, at), {
    version: 2,
    schema: [{ name: 'root', num_children: 1 }, ...elements],
    num_rows,
    row_groups: [{ columns, total_byte_size, num_rows }],
    metadata_length: 0,
  });
}

/** Writes a page in Parquet's first version, in which levels are preceded by their length. */
function writePage(page: Page, leaf: Leaf, write: (bytes: Uint8Array) => void): void {
  const { kind, count, encoding, levels, values } = page;
  const runs = [
    ...(kind === 'data' && leaf.repetition > 0 ? [levels.repetition] : []),
    ...(kind === 'data' && leaf.definition > 0 ? [levels.definition] : []),
  ];
  const size = runs.reduce((sum, { length }) => sum + 4 + length, values.length);
  write(pageHeaderBytes(kind, { count, encoding, size }));
  for (const bytes of runs) {
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, bytes.length, true);
    write(length);
    write(bytes);
  }
  write(values);
}

/** The one column of a file in memory. */
async function readOnly(bytes: Uint8Array<ArrayBuffer>, metadata: FileMetaData): Promise<DecodedArray> {
  const found: DecodedArray[] = [];
  await parquetRead({
    file: {
      byteLength: bytes.length,
      slice: (start, end = bytes.length) =>
        start === 0 && end === bytes.length ? bytes.buffer : bytes.buffer.slice(start, end),
    },
    metadata,
    utf8: false,
    parsers: { stringFromBytes: textOf },
    onChunk: ({ columnData }) => found.push(columnData),
  });
  if (found.length === 1) return found[0]!;
  return found.flatMap((data) => Array.from(data));
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DataError(`the text '${Buffer.from(bytes).toString('latin1')}' is not UTF-8`);
  }
}
