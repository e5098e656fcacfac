import {
  type AsyncBuffer,
  type ColumnMetaData,
  type Compressors,
  type DecodedArray,
  type FileMetaData,
  parquetSchema,
  type SchemaTree,
} from 'hyparquet';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { decodeColumn, decodeValues } from './decodePages.js';
import { createPageRoom } from './pageRoom.js';
import { type Page, readPages, type StoredColumn } from './pages.js';
import { elementsOf, type Leaf, leavesOf } from './schema.js';

/** So few that a block is garbage-collected while it is young. */
const blockRows = 512;

/** A column directly below the root of the schema, in parts that end where pages do. */
interface Column {
  readonly name: string;
  readonly parts: AsyncIterator<Part>;
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
  const leaves = leavesOf(schema);
  const { num_rows, columns: chunks } = metadata.row_groups[group]!;
  const rows = Number(num_rows);
  const columns: Column[] = [];
  const room = createPageRoom();
  for (const tree of schema.children) {
    const name = tree.element.name;
    if (!names.includes(name)) continue;
    const stored: StoredColumn[] = [];
    for (const [i, leaf] of leaves.entries()) {
      const chunk = chunks[i]?.meta_data;
      if (!chunk || leaf.path[0] !== name) continue;
      const { start, end } = chunkRange(chunk);
      const bytes = new Uint8Array(await file.slice(start, end));
      const count = leaf.isFlat ? rows : Number(chunk.num_values);
      stored.push({ bytes, leaf, codec: chunk.codec, compressors, count, room });
    }
    const [only] = stored;
    const parts = only?.leaf.isFlat ? flatParts(only) : nestedParts(tree, stored, rows);
    columns.push({ name, parts: inColumn(name, parts) });
  }
  yield* rowBlocks(columns, rows);
}

/** Adds the column's name to messages. */
async function* inColumn(name: string, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  try {
    yield* parts;
  } catch (error) {
    throw error instanceof DataError ? new DataError(`column '${name}': ${reasonOf(error)}`) : error;
  }
}

/** A column with one value or an empty cell in each row. */
async function* flatParts(column: StoredColumn): AsyncGenerator<Part> {
  const { leaf } = column;
  let dictionary: DecodedArray = [];
  for (const page of readPages(column)) {
    if (page.kind === 'dictionary') dictionary = lighter(await decodeValues(leaf, page));
    else yield cellsOf(page, await valuesOf(page, leaf, dictionary));
  }
}

async function valuesOf(page: Page, leaf: Leaf, dictionary: DecodedArray): Promise<(i: number) => unknown> {
  const { indices } = page;
  if (indices) return (i) => dictionary[indices[i]!];
  const values = await decodeValues(leaf, page);
  if (values.length !== page.present)
    throw new DataError(`${values.length} values; expected ${page.present}`);
  return (i) => values[i];
}

function cellsOf({ count, present, filled }: Page, value: (i: number) => unknown): Part {
  if (present === count || !filled) return { length: count, cell: value };
  let next = 0;
  return { length: count, cell: (i) => (filled[i] === 1 ? value(next++) : null) };
}

/** A list or struct, made of its leaves. */
async function* nestedParts(
  tree: SchemaTree,
  stored: readonly StoredColumn[],
  rows: number,
): AsyncGenerator<Part> {
  const leaves = stored.map((column) => ({ leaf: column.leaf, pages: [...readPages(column)] }));
  for (const { pages } of leaves) {
    const found = pages.reduce((sum, page) => sum + page.rows, 0);
    if (found !== rows) throw new DataError(`${found} rows; expected ${rows}`);
  }
  const cells = await decodeColumn(elementsOf(tree), leaves, rows);
  yield { length: cells.length, cell: (i) => cells[i] };
}

const noCells: Part = { length: 0, cell: () => undefined };

async function* rowBlocks(
  columns: readonly Column[],
  rows: number,
): AsyncGenerator<Record<string, unknown>[]> {
  const heads = columns.map(({ name, parts }) => ({ name, parts, part: noCells, at: 0 }));
  for (let done = 0; done < rows; ) {
    for (const head of heads) {
      while (head.at === head.part.length) {
        const { value, done: isOver } = await head.parts.next();
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

/** Big integers as numbers, if all are small enough: otherwise, every cell would be an object. */
function lighter(values: DecodedArray): DecodedArray {
  if (!(values instanceof BigInt64Array)) return values;
  const numbers = Array.from(values, Number);
  return numbers.every(Number.isSafeInteger) ? numbers : values;
}
