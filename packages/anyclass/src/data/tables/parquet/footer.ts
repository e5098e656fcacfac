import { type ColumnMetaData, type FileMetaData, parquetSchema } from 'hyparquet';
import { DataError } from '../../../errors/dataError.js';
import { chunkRange } from './rowGroup.js';
import { leavesOf } from './schema.js';

/** More rows per byte than this are accepted only in a small table. */
const rowsPerByte = 1000;
const smallTable = 1e7;

/**
 * Checks the footer of a Parquet file: in a damaged one, columns may lack names, children may be missing,
 * and columns may overlap.
 */
export function checkFooter(metadata: FileMetaData, fileSize: number): void {
  checkSchema(metadata);
  checkRows(metadata, fileSize);
  const leaves = leavesOf(parquetSchema(metadata));
  const chunks: ColumnMetaData[] = [];
  for (const { columns } of metadata.row_groups) {
    const own = columns.flatMap(({ meta_data: chunk, file_path }) => (chunk && !file_path ? [chunk] : []));
    const isWhole =
      own.length === leaves.length &&
      own.every(
        ({ path_in_schema: path, type }, i) =>
          path.join('.') === leaves[i]!.path.join('.') && leaves[i]!.element.type === type,
      );
    if (!isWhole) throw new DataError('the columns of a row group do not match the schema');
    chunks.push(...own);
  }
  checkPlaces(chunks);
}

function checkSchema({ schema }: FileMetaData): void {
  const children = schema.reduce((sum, { num_children: count = 0 }) => sum + count, 0);
  const isWhole =
    children === schema.length - 1 &&
    schema.every(({ name, num_children: count = 0 }) => typeof name === 'string' && count >= 0);
  if (!isWhole) throw new DataError('its schema is damaged');
}

function checkRows({ row_groups, num_rows }: FileMetaData, fileSize: number): void {
  const rows = row_groups.map((group) => Number(group.num_rows));
  const total = rows.reduce((sum, count) => sum + count, 0);
  if (rows.some((count) => !(count >= 0)) || total !== Number(num_rows)) {
    throw new DataError(`its row groups have ${total} rows, but it claims ${num_rows}`);
  }
  if (total > Math.max(smallTable, fileSize * rowsPerByte)) {
    throw new DataError(`it claims ${total} rows, which do not fit into ${fileSize} bytes`);
  }
}

function checkPlaces(chunks: readonly ColumnMetaData[]): void {
  const ranges = chunks.map(chunkRange).filter(({ start, end }) => start !== end);
  ranges.sort((a, b) => a.start - b.start);
  const isApart = ranges.every(({ start, end }, i) => end > start && start >= (ranges[i - 1]?.end ?? 4));
  if (!isApart) throw new DataError('its columns overlap');
}
