import type {
  AsyncBuffer,
  ColumnMetaData,
  Compressors,
  DecodedArray,
  FileMetaData,
  SchemaTree,
} from 'hyparquet';
import { parquetSchema } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { assembleAsync } from 'hyparquet/src/rowgroup.js';
import { getTreePath, isFlatColumn } from 'hyparquet/src/schema.js';
import type { AsyncColumn, ColumnDecoder } from 'hyparquet/src/types.js';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { plainPage } from './pages.js';

/** So few that a block is garbage-collected while it is young. */
const blockRows = 512;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A column directly below the root of the schema, in parts that end where pages do. */
interface Column {
  readonly name: string;
  readonly parts: Iterator<Part>;
}

/** Some cells of a column, which are read once, in order. */
interface Part {
  readonly length: number;
  cell(i: number): unknown;
}

/**
 * Reads some columns of a row group, as objects, in blocks of rows. For flat columns, only
 * one decoded page is kept.
 */
export async function* readRowGroup(
  file: AsyncBuffer,
  metadata: FileMetaData,
  group: number,
  names: readonly string[],
  compressors: Compressors | undefined,
): AsyncGenerator<Record<string, unknown>[]> {
  const schema = parquetSchema(metadata);
  const { num_rows, columns: chunks } = metadata.row_groups[group]!;
  const rows = Number(num_rows);
  const columns: Column[] = [];
  for (const tree of schema.children) {
    const name = tree.element.name;
    if (!names.includes(name)) continue;
    const leaves: AsyncColumn[] = [];
    for (const { meta_data: chunk } of chunks) {
      if (chunk?.path_in_schema[0] !== name) continue;
      const { start, end } = chunkRange(chunk);
      const bytes = new Uint8Array(await file.slice(start, end));
      const pages = readChunk(bytes, chunk, rows, decoderOf(chunk, schema, compressors));
      if (tree.children.length === 0) columns.push({ name, parts: partsOf(pages) });
      else {
        const data = Array.from(pages, (page) => page.data);
        leaves.push({ pathInSchema: chunk.path_in_schema, data: Promise.resolve({ data, skipped: 0 }) });
      }
    }
    if (leaves.length > 0) columns.push({ name, parts: await assembled(schema, leaves, rows) });
  }
  yield* rowBlocks(columns, rows);
}

function* partsOf(pages: Iterable<DecodedPage>): Generator<Part> {
  for (const { data, filled } of pages) {
    let next = 0;
    yield {
      length: filled?.length ?? data.length,
      cell: filled ? (i) => (filled[i] === 1 ? data[next++] : null) : (i) => data[i],
    };
  }
}

/** A list or struct, assembled from its leaves. */
async function assembled(
  schema: SchemaTree,
  asyncColumns: AsyncColumn[],
  rows: number,
): Promise<Iterator<Part>> {
  const selection = { groupStart: 0, groupRows: rows, selectStart: 0, selectEnd: rows };
  const [whole] = assembleAsync({ ...selection, asyncColumns }, schema).asyncColumns;
  return partsOf((await whole!.data).data.map((data) => ({ data })));
}

const noCells: Part = { length: 0, cell: () => undefined };

function* rowBlocks(columns: readonly Column[], rows: number): Generator<Record<string, unknown>[]> {
  const heads = columns.map(({ name, parts }) => ({ name, parts, part: noCells, at: 0 }));
  for (let done = 0; done < rows; ) {
    for (const head of heads) {
      while (head.at === head.part.length) {
        const { value, done: isOver } = head.parts.next();
        if (isOver) throw new DataError(`column '${head.name}' has ${done} rows; expected ${rows}`);
        head.part = value;
        head.at = 0;
      }
    }
    const count = Math.min(blockRows, rows - done, ...heads.map(({ part, at }) => part.length - at));
    const block: Record<string, unknown>[] = [];
    for (let i = 0; i < count; i++) {
      const row: Record<string, unknown> = {};
      for (const { name, part, at } of heads) row[name] = part.cell(at + i);
      block.push(row);
    }
    yield block;
    for (const head of heads) head.at += count;
    done += count;
  }
}

/** The byte range of a row group's column in the file. */
export function chunkRange(chunk: ColumnMetaData): { readonly start: number; readonly end: number } {
  const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
  return { start, end: start + Number(chunk.total_compressed_size) };
}

function decoderOf(
  chunk: ColumnMetaData,
  schema: SchemaTree,
  compressors: Compressors | undefined,
): ColumnDecoder {
  const schemaPath = getTreePath(schema, chunk.path_in_schema);
  return {
    pathInSchema: chunk.path_in_schema,
    type: chunk.type,
    element: schemaPath.at(-1)!.element,
    schemaPath,
    codec: chunk.codec,
    parsers: { ...DEFAULT_PARSERS, stringFromBytes: textOf },
    utf8: false,
    ...(compressors && { compressors }),
  };
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DataError(`the text '${Buffer.from(bytes).toString('latin1')}' is not UTF-8`);
  }
}

interface DecodedPage {
  readonly data: DecodedArray;
  /** 1 for each cell with a value in `data`, 0 otherwise; if undefined, all cells have one. */
  readonly filled?: Uint8Array | undefined;
}

/** The values of a column, in pages that have `rows` rows in total. */
function* readChunk(
  bytes: Uint8Array,
  { num_values, path_in_schema }: ColumnMetaData,
  rows: number,
  column: ColumnDecoder,
): Generator<DecodedPage> {
  const isFlat = isFlatColumn(column.schemaPath);
  let found = 0;
  try {
    for (const part of readPages(bytes, isFlat ? rows : Number(num_values), column, isFlat)) {
      found += part.filled?.length ?? part.data.length;
      yield part;
    }
    if (found !== rows) throw new DataError(`${found} rows; expected ${rows}`);
  } catch (error) {
    const name = path_in_schema[0];
    throw error instanceof DataError ? new DataError(`column '${name}': ${reasonOf(error)}`) : error;
  }
}

function* readPages(
  bytes: Uint8Array,
  count: number,
  column: ColumnDecoder,
  isFlat: boolean,
): Generator<DecodedPage> {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  // Pages of a flat column are passed without their levels.
  const schemaPath = isFlat ? column.schemaPath.map(required) : column.schemaPath;
  const decoder: ColumnDecoder = { ...column, schemaPath, codec: 'UNCOMPRESSED' };
  let dictionary: DecodedArray | undefined;
  /** The last page of lists, which may continue in the next page. */
  let open: DecodedArray | undefined;
  let valuesLeft = count;
  while (valuesLeft > 0) {
    const header = parquetHeader(reader);
    const [start, end] = [reader.offset, reader.offset + header.compressed_page_size];
    if (!(end >= start && end <= bytes.length)) throw new DataError('a page extends beyond its column');
    reader.offset = end;
    const progress = { valuesLeft, dictionaryLength: dictionary?.length ?? 0 };
    const page = plainPage(bytes.subarray(start, end), header, column, progress);
    valuesLeft -= page.values;
    const view = new DataView(page.bytes.buffer, page.bytes.byteOffset, page.bytes.length);
    const isEmpty = isFlat && page.header.data_page_header?.num_values === 0;
    const { data = [] } = isEmpty
      ? {}
      : readPage({ view, offset: 0 }, page.header, decoder, dictionary, open, 0);
    if (header.type === 'DICTIONARY_PAGE') dictionary = lighter(convert(data, column));
    else if (isFlat) yield { data, filled: page.filled };
    else {
      if (open && data !== open) yield { data: open };
      open = data;
    }
  }
  if (open) yield { data: open };
}

function required(node: SchemaTree): SchemaTree {
  return { ...node, element: { ...node.element, repetition_type: 'REQUIRED' } };
}

/** Big integers as numbers, if all are small enough: otherwise, every cell would be an object. */
function lighter(values: DecodedArray): DecodedArray {
  if (!(values instanceof BigInt64Array)) return values;
  const numbers = Array.from(values, Number);
  return numbers.every(Number.isSafeInteger) ? numbers : values;
}
