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

/** So few that a block is garbage before it is old. */
const blockRows = 512;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A column below the root of the schema, in parts; a part ends where a page does. */
interface Column {
  readonly name: string;
  readonly parts: Iterator<DecodedArray>;
}

/** Some columns of a row group, as objects, in blocks of rows: of flat columns, no more than a page is held decoded. */
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
      const parts = readChunk(bytes, chunk, rows, decoderOf(chunk, schema, compressors));
      if (tree.children.length === 0) columns.push({ name, parts });
      else leaves.push({ pathInSchema: chunk.path_in_schema, data: resolved([...parts]) });
    }
    if (leaves.length > 0) columns.push({ name, parts: await assembled(schema, leaves, rows) });
  }
  yield* rowBlocks(columns, rows);
}

function resolved(data: DecodedArray[]): AsyncColumn['data'] {
  return Promise.resolve({ data, skipped: 0 });
}

/** A list or struct of its leaves, as one part. */
async function assembled(
  schema: SchemaTree,
  asyncColumns: AsyncColumn[],
  rows: number,
): Promise<Iterator<DecodedArray>> {
  const selection = { groupStart: 0, groupRows: rows, selectStart: 0, selectEnd: rows };
  const [whole] = assembleAsync({ ...selection, asyncColumns }, schema).asyncColumns;
  return (await whole!.data).data.values();
}

function* rowBlocks(columns: readonly Column[], rows: number): Generator<Record<string, unknown>[]> {
  const heads = columns.map(({ name, parts }) => ({ name, parts, part: [] as DecodedArray, at: 0 }));
  for (let done = 0; done < rows; ) {
    for (const head of heads) {
      while (head.at === head.part.length) {
        const { value, done: isOver } = head.parts.next();
        if (isOver) throw new DataError(`column '${head.name}' has ${done} rows where ${rows} belong`);
        head.part = value;
        head.at = 0;
      }
    }
    const count = Math.min(blockRows, rows - done, ...heads.map(({ part, at }) => part.length - at));
    const block: Record<string, unknown>[] = [];
    for (let i = 0; i < count; i++) {
      const row: Record<string, unknown> = {};
      for (const { name, part, at } of heads) row[name] = part[at + i];
      block.push(row);
    }
    yield block;
    for (const head of heads) head.at += count;
    done += count;
  }
}

/** Where a column of a row group lies in its file. */
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

/** The values of a column, in parts that together have `rows` rows. */
function* readChunk(
  bytes: Uint8Array,
  { num_values, path_in_schema }: ColumnMetaData,
  rows: number,
  column: ColumnDecoder,
): Generator<DecodedArray> {
  const isFlat = isFlatColumn(column.schemaPath);
  let found = 0;
  try {
    for (const part of readPages(bytes, isFlat ? rows : Number(num_values), column, isFlat)) {
      found += part.length;
      yield part;
    }
    if (found !== rows) throw new DataError(`${found} rows where ${rows} belong`);
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
): Generator<DecodedArray> {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  let dictionary: DecodedArray | undefined;
  /** Of lists, which may go on in the next page. */
  let open: DecodedArray | undefined;
  let valuesLeft = count;
  while (valuesLeft > 0) {
    const header = parquetHeader(reader);
    const [start, end] = [reader.offset, reader.offset + header.compressed_page_size];
    if (!(end >= start && end <= bytes.length)) throw new DataError('a page ends behind its column');
    reader.offset = end;
    const progress = { valuesLeft, dictionaryLength: dictionary?.length ?? 0 };
    const page = plainPage(bytes.subarray(start, end), header, column, progress);
    valuesLeft -= page.values;
    const view = new DataView(page.bytes.buffer, page.bytes.byteOffset, page.bytes.length);
    const uncompressed = { ...column, codec: 'UNCOMPRESSED' as const };
    const { data } = readPage({ view, offset: 0 }, page.header, uncompressed, dictionary, open, 0);
    if (!data) continue;
    if (header.type === 'DICTIONARY_PAGE') dictionary = convert(data, column);
    else if (isFlat) yield data;
    else {
      if (open && data !== open) yield open;
      open = data;
    }
  }
  if (open) yield open;
}
