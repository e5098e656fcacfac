// Rows of Parquet files as images to predict.

import { basename } from 'node:path';
import { fileProblem } from '@anyclass/files';
import { parquetSchema } from 'hyparquet';
import { encodedBytes } from '../data/readers/labelTables/parquetImages.js';
import { openParquet, type ParquetFile } from '../data/tables/parquet/parquetFile.js';
import { DataError } from '../errors/dataError.js';
import { reasonOf } from '../errors/reasonOf.js';
import { type ImageInput, unreadable } from './imageInput.js';

/** A column that names the images. */
const namingColumn = /^(file_?name|path|image_?id|id)$/i;

/** Yields the images of a Parquet file; one without images is skipped, or yields an input that says so. */
export async function* parquetRows(
  path: string,
  { withoutImages }: { readonly withoutImages: 'skip' | 'tell' },
): AsyncGenerator<ImageInput> {
  let file: ParquetFile;
  try {
    file = await openParquet(path);
  } catch (error) {
    yield unreadable(path, parquetProblem(error, path));
    return;
  }
  try {
    const columns = columnsOf(file);
    if (!mayHoldImages(file)) {
      if (withoutImages === 'tell')
        yield unreadable(path, `has no column of images, only ${columns.join(', ')}`);
      return;
    }
    for (let group = 0; group + 1 < file.groupStarts.length; group++) {
      try {
        let start = file.groupStarts[group]!;
        for await (const rows of file.readGroup(group, columns)) {
          yield* rowInputs(rows, start, columns, path);
          start += rows.length;
        }
      } catch (error) {
        yield unreadable(path, parquetProblem(error, path));
      }
    }
  } finally {
    await file.close();
  }
}

/** The reason without the file name, which the caller prints before it. */
function parquetProblem(error: unknown, path: string): string {
  const reason = error instanceof DataError ? reasonOf(error) : fileProblem(error);
  const name = basename(path);
  return reason.startsWith(name) ? reason.slice(name.length).replace(/^[:,] /, '') : reason;
}

function columnsOf({ metadata }: ParquetFile): string[] {
  return parquetSchema(metadata).children.map(({ element }) => element.name);
}

/** Whether a column holds bytes that are not text, or Hugging Face's struct of `bytes` and `path`. */
function mayHoldImages({ metadata }: ParquetFile): boolean {
  return parquetSchema(metadata).children.some(({ element, children }) =>
    [element, ...children.map((child) => child.element)].some(
      ({ type, converted_type, logical_type }) =>
        type === 'BYTE_ARRAY' && converted_type !== 'UTF8' && logical_type?.type !== 'STRING',
    ),
  );
}

function* rowInputs(
  rows: readonly Record<string, unknown>[],
  start: number,
  columns: readonly string[],
  path: string,
): Generator<ImageInput> {
  const nameOf = parquetNames(columns, path);
  const inOrder = ['image', ...columns];
  for (const [i, row] of rows.entries()) {
    yield {
      name: nameOf(row, start + i),
      async read() {
        const bytes = inOrder.map((column) => encodedBytes(row[column])).find((found) => found !== undefined);
        if (!bytes) throw new DataError('no image bytes in this row');
        return { kind: 'encoded', bytes };
      },
    };
  }
}

/** The names of the rows of a Parquet file: a column that names them, or their numbers. */
function parquetNames(columns: readonly string[], path: string) {
  const naming = columns.find((column) => namingColumn.test(column));
  return (row: Readonly<Record<string, unknown>>, index: number): string => {
    const named = naming === undefined ? undefined : row[naming];
    return named === undefined || named === null ? `${path}#${index}` : String(named);
  };
}

/**
 * Yields the name of each row of a Parquet file of images and its value in a column.
 *
 * @example
 * for await (const [name, patient] of parquetColumn('chest.parquet', 'patient')) console.log(name, patient);
 */
export async function* parquetColumn(path: string, column: string): AsyncGenerator<[string, string]> {
  const file = await openParquet(path);
  try {
    const columns = columnsOf(file);
    if (!columns.includes(column))
      throw new DataError(`${path}: no column '${column}' with groups; it has ${columns.join(', ')}`);
    const nameOf = parquetNames(columns, path);
    const wanted = columns.filter((each) => each === column || namingColumn.test(each));
    for (let group = 0; group + 1 < file.groupStarts.length; group++) {
      let row = file.groupStarts[group]!;
      for await (const rows of file.readGroup(group, wanted)) {
        for (const each of rows) yield [nameOf(each, row++), String(each[column] ?? '')];
      }
    }
  } finally {
    await file.close();
  }
}
